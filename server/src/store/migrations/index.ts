import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The statements of a migration on an engine. They depend on nothing else, and have no parameters. */
export type Migration = (engine: 'sqlite' | 'postgres') => readonly string[];

/**
 * The migrations, in order: each is a file of SQL here or, if the engines need different statements, one for each. A name
 * ends with a fingerprint of its statements on both engines: a store remembers the names, so one made by other
 * statements is refused. A released name and its statements never change.
 */
const NAMES = [
	'0001-first-e7347add',
	'0002-indexes-03bd0115',
	'0003-expiry-999a2316',
	'0004-time-zones-12dc4e64',
];

/**
 * The first migration as it was made in steps, before any version was released: a store that remembers all of them has
 * its schema.
 */
export const STEPS_OF_FIRST = [
	'0001-first-7d42c3f4',
	'0002-idempotency-keys-647c8d74',
	'0003-outcomes-c141832a',
	'0004-questions-d98b9f4a',
	'0005-snooze-fb907359',
	'0006-markdown-37930d68',
	'0007-session-clients-8a24f2fb',
	'0008-broadcast-be23badd',
	'0009-sequences-31a2cc83',
	'0010-triggers-4938878e',
	'0011-kept-answers-5fa0d7cb',
];

/** The file with the statements of a migration: one for both engines, or one for each. @param name without fingerprint */
export function migrationFile(name: string, engine: 'sqlite' | 'postgres'): string {
	const ofBoth = join(import.meta.dirname, `${name}.sql`);
	return existsSync(ofBoth) ? ofBoth : join(import.meta.dirname, `${name}.${engine}.sql`);
}

/** Reads the statements of a migration. An empty line follows each in its file, and no semicolon inside one. */
function readStatements(name: string, engine: 'sqlite' | 'postgres'): string[] {
	const text = readFileSync(migrationFile(name.replace(/-[\da-f]{8}$/, ''), engine), 'utf8');
	return text
		.replaceAll(/^--.*\n/gm, '')
		.trim()
		.replace(/;$/, '')
		.split(/;\n\n+/);
}

/** Every migration by its name, in order. */
export const migrations: Record<string, Migration> = Object.fromEntries(
	NAMES.map((name) => [name, (engine) => readStatements(name, engine)]),
);
