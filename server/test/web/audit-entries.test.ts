import { expect, it } from '@jest/globals';
import type { AuditEntry, AuditEvent } from '../../src/contract/console/audit.ts';
import { withoutUsedCodes } from '../../web/console/audit-entries.ts';

/** An entry of Olga's, so many minutes after noon. */
const entry = (minute: number, event: AuditEvent, subject: string, actor = 'Olga'): AuditEntry => ({
	id: minute,
	at: new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString(),
	event,
	actor: 'member',
	actor_name: actor,
	subject,
	address: null,
	times: 1,
});
const shown = (...entries: AuditEntry[]) =>
	withoutUsedCodes(entries.toSorted((one, other) => other.id - one.id)).map(({ id }) => id);

it('a pairing has one line: that of its phone', () => {
	expect(
		shown(entry(0, 'pair_code_created', 'Max'), entry(3, 'phone_paired', 'Tablet (Max)')),
	).toEqual([3]);
});

it('a code that nobody used, or not yet, keeps its line', () => {
	expect(
		shown(
			entry(0, 'pair_code_created', 'Max'),
			entry(1, 'pair_code_created', 'Max'),
			entry(2, 'pair_code_created', 'Eve'),
			entry(3, 'pair_code_created', 'Max', 'Karin'),
			entry(4, 'phone_paired', 'Tablet (Max)'),
			entry(5, 'pair_code_created', 'Max'),
			entry(30, 'phone_paired', 'Phone (Max)'),
		),
	).toEqual([30, 5, 4, 3, 2, 1]);
});
