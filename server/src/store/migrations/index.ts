import type { Migration } from 'kysely/migration';
import * as first from './0001-first.ts';
import * as idempotencyKeys from './0002-idempotency-keys.ts';

/**
 * Every migration by its name, in order. A name ends with a fingerprint of the migration's statements on both
 * engines: a store remembers the names, so one made by other statements is refused. A released name and its
 * statements never change.
 */
export const migrations: Record<string, Migration> = {
	'0001-first-7d42c3f4': first,
	'0002-idempotency-keys-647c8d74': idempotencyKeys,
};
