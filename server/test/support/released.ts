import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import pg from 'pg';
import { DATABASE_FILE } from '../../src/store/engine/sqlite/database.ts';
import { startTestServer } from './server.ts';
import type { First } from './reach.ts';

const FOLDER = join(import.meta.dirname, '../fixtures');

/** What is known of a store that a released version wrote (fixtures/write.ts). */
export interface Fixture extends First {
	/** Milliseconds since 1970: the time of the server that wrote it. */
	now: number;
	/** Of the account's owner, for the console. */
	owner: { email: string; password: string };
	/** What that version answered. */
	answers: Array<{ url: string; headers: Record<string, string>; body: unknown }>;
}

/**
 * The versions whose stores are kept: those with a schema of their own. `before-0.1.0`: what was the first migration was
 * eleven then.
 */
export const RELEASED = readdirSync(FOLDER, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);

const read = (version: string, name: string) =>
	gunzipSync(readFileSync(join(FOLDER, version, `${name}.gz`)));

/** Puts the store of a released version into `directory`. */
export function putReleased(version: string, directory: string): void {
	writeFileSync(join(directory, DATABASE_FILE), read(version, 'beckon.db'), { mode: 0o600 });
}

/** Fills an empty PostgreSQL database with the store of a released version. */
export async function restoreReleased(version: string, url: string): Promise<void> {
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	try {
		await client.query(read(version, 'beckon.sql').toString());
	} finally {
		await client.end();
	}
}

/**
 * Checks that a migrated store serves what the version that wrote it did: to other programs, phones and the console.
 * Later versions may add fields.
 */
export async function expectReadable(
	version: string,
	store: { directory: string; settings?: Record<string, string> },
): Promise<void> {
	const fixture = JSON.parse(read(version, 'answers.json').toString()) as Fixture;
	const server = await startTestServer(store);
	try {
		server.clock.now = fixture.now;
		expect(fixture.answers.length).toBeGreaterThan(20);
		for (const { url, headers, body } of fixture.answers) {
			const answer = await server.app.inject({ url, headers });
			expect({ url, status: answer.statusCode, body: answer.json() }).toMatchObject({
				url,
				status: 200,
				body,
			});
		}
		const push = () =>
			server.call(
				'POST',
				'/push-notification',
				{ title: 'Upgraded' },
				{
					key: fixture.account.key,
					headers: { 'idempotency-key': '"upgraded"' },
				},
			);
		const pushed = await push();
		expect(pushed.status).toBe(200);
		expect((await push()).body).toEqual(pushed.body);
		const inbox = await server.app.inject({
			url: '/device/inbox?limit=500',
			headers: { authorization: `Bearer ${fixture.phone.token}` },
		});
		const arrived = (inbox.json().deliveries as Array<{ push?: { title: string } }>).filter(
			({ push }) => push?.title === 'Upgraded',
		);
		expect(arrived).toHaveLength(1);
	} finally {
		await server.close();
	}
}
