import type { Migration } from 'kysely/migration';
import * as firstTables from './0001-first-tables.ts';
import * as delivery from './0002-delivery.ts';
import * as consoleTables from './0003-console.ts';
import * as phone from './0004-phone.ts';
import * as rateWindows from './0005-rate-windows.ts';
import * as registrationTime from './0006-registration-time.ts';
import * as rateWindowsTogether from './0007-rate-windows-together.ts';
import * as lookups from './0008-lookups.ts';
import * as readiness from './0009-readiness.ts';
import * as deliveryStates from './0010-delivery-states.ts';
import * as answers from './0011-answers.ts';
import * as people from './0012-people.ts';

/** Every migration by its name, in the order in which they run; a name once released never changes. */
export const migrations: Record<string, Migration> = {
	'0001-first-tables': firstTables,
	'0002-delivery': delivery,
	'0003-console': consoleTables,
	'0004-phone': phone,
	'0005-rate-windows': rateWindows,
	'0006-registration-time': registrationTime,
	'0007-rate-windows-together': rateWindowsTogether,
	'0008-lookups': lookups,
	'0009-readiness': readiness,
	'0010-delivery-states': deliveryStates,
	'0011-answers': answers,
	'0012-people': people,
};
