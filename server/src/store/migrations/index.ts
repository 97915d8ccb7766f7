import type { Migration } from 'kysely/migration';
import * as first from './0001-first.ts';

/** Every migration by name, in order; a released name never changes. */
export const migrations: Record<string, Migration> = { '0001-first': first };
