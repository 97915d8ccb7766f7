import type { Migration } from 'kysely/migration';
import * as first from './0001-first.ts';

/** Every migration by its name, in the order in which they run; a name once released never changes. */
export const migrations: Record<string, Migration> = { '0001-first': first };
