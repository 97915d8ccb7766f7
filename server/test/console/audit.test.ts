import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../../src/contract/console/audit.ts';
import { createApiKey } from '../../src/service/keys-and-channels/api-keys.ts';
import { deleteOldAuditEntries } from '../../src/service/audit.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';

let server: TestServer;
let owner: Console;
beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server, { email: 'olga@example.com' });
});
afterEach(() => server.close());

const OLGA = { actor: 'member', actor_name: 'Olga (olga@example.com)' };

const page = async (query = '') =>
	(await owner.call('GET', `/audit${query}`)).body as {
		entries: AuditEntry[];
		next: number | null;
	};
const newest = async () => (await page()).entries[0];

/** Requests of the console, and their entries in the audit log. */
const RECORDED: Array<[string, () => Promise<unknown>, Partial<AuditEntry>]> = [
	[
		'a new key',
		() => owner.call('POST', '/keys', { name: 'Workflow' }),
		{ event: 'key_created', subject: expect.stringMatching(/^Workflow \(bk_…[\w-]{4}\)$/) as any },
	],
	[
		'a revoked key',
		async () => {
			const { body } = await owner.call('POST', '/keys', { name: 'Workflow' });
			await owner.call('DELETE', `/keys/${body['id']}`);
		},
		{ event: 'key_revoked', subject: expect.stringMatching(/^Workflow /) as any },
	],
	[
		'an invitation',
		() => owner.call('POST', '/invitations', { role: 'member', email: 'max@example.com' }),
		{ event: 'member_invited', subject: 'max@example.com: member' },
	],
	[
		'a removed member',
		async () => {
			const max = await signedIn(server, { invitedBy: owner, email: 'max@example.com' });
			await owner.call('DELETE', `/members/${max.memberId}`);
		},
		{ event: 'member_removed', subject: 'Max (max@example.com)' },
	],
	[
		'another role',
		async () => {
			const max = await signedIn(server, { invitedBy: owner, email: 'max@example.com' });
			await owner.call('PUT', `/members/${max.memberId}`, { role: 'owner' });
		},
		{ event: 'role_changed', subject: 'Max (max@example.com): owner' },
	],
	[
		'another password',
		() =>
			owner.call('PUT', '/password', {
				current_password: PASSWORD,
				password: 'nine purple lanterns drift',
			}),
		{ event: 'password_changed', subject: null },
	],
	[
		'a push from the Playground, without its content',
		() => owner.call('POST', '/playground/send', { request: 'push', body: { title: 'Salary' } }),
		{ event: 'sent', subject: 'push' },
	],
	[
		'a stream from the Playground',
		() =>
			owner.call('POST', '/playground/send', {
				request: 'stream',
				key: 'deploy',
				body: { content_state: { type: 'alert', title: 'Deploy', message: 'Salary' } },
			}),
		{ event: 'sent', subject: 'stream deploy' },
	],
	[
		'a test push',
		() => owner.call('POST', `/devices/${server.phone.id}/test`),
		{ event: 'test_push_sent', subject: 'Phone' },
	],
	[
		'a disconnected phone',
		() => owner.call('DELETE', `/devices/${server.phone.id}`),
		{ event: 'phone_disconnected', subject: 'Phone' },
	],
];

describe('the audit log', () => {
	it.each(RECORDED)('has %s: by whom, and when', async (_what, act, expected) => {
		await act();
		expect(await newest()).toMatchObject({ ...OLGA, at: server.timestamp(), ...expected });
		expect(JSON.stringify(await page())).not.toContain('Salary');
	});

	it('has who joined, by themselves', async () => {
		await signedIn(server, { invitedBy: owner, email: 'max@example.com' });
		expect(await newest()).toMatchObject({
			event: 'member_joined',
			actor_name: 'Max (max@example.com)',
			subject: 'member',
		});
	});

	it('has what a command did as the command line’s', async () => {
		await createApiKey(server.context, server.account.id, { name: 'By command' });
		expect(await newest()).toMatchObject({ event: 'key_created', actor: 'command_line' });
	});

	it('has failed sign-ins of a member, those of an hour as one entry', async () => {
		const guess = () =>
			callConsole(server, 'POST', '/login', { email: 'olga@example.com', password: 'a guess' });
		await guess();
		await guess();
		expect(await newest()).toMatchObject({
			event: 'sign_in_failed',
			actor: 'visitor',
			subject: 'olga@example.com',
			address: expect.stringContaining('127.0.0.1'),
			times: 2,
		});
		server.clock.advance(3_601);
		await guess();
		expect(await newest()).toMatchObject({ event: 'sign_in_failed', times: 1 });
	});

	it('says nothing of a sign-in to another account, or to none', async () => {
		const before = await page();
		const other = await server.addAccount();
		await signedIn(server, { account: other.id, email: 'eve@example.com' });
		for (const email of ['eve@example.com', 'nobody@example.com'])
			await callConsole(server, 'POST', '/login', { email, password: 'a guess' });
		expect(await page()).toEqual(before);
	});

	it('holds no key, no link and no password', async () => {
		const { body: key } = await owner.call('POST', '/keys', { name: 'Workflow' });
		const { body: link } = await owner.call('POST', '/invitations', { role: 'member' });
		const rows = await server.context.database.read.selectFrom('audit_log').selectAll().execute();
		for (const secret of [key['key'], link['token'], PASSWORD])
			expect(JSON.stringify(rows)).not.toContain(secret);
	});

	it('says nothing of what was refused', async () => {
		const before = await page();
		await owner.call('DELETE', '/keys/key_none');
		await owner.call('POST', '/playground/send', { request: 'push', body: { title: '' } });
		expect(await page()).toEqual(before);
	});

	it('comes in pages, newest first', async () => {
		for (const name of ['A', 'B', 'C']) await owner.call('POST', '/keys', { name });
		const first = await page('?limit=2');
		expect(first.entries.map(({ subject }) => subject?.[0])).toEqual(['C', 'B']);
		const second = await page(`?limit=2&before=${first.next}`);
		expect(second.entries[0]?.subject?.[0]).toBe('A');
	});

	it('is searched by who and what, and filtered by event, page by page', async () => {
		for (const name of ['A', 'B']) await owner.call('POST', '/keys', { name });
		await owner.call('POST', '/channels', { slug: 'a-team' });
		await owner.call('POST', '/channels', { slug: 'other' });
		const subjects = async (query: string) =>
			(await page(`?${query}`)).entries.map(({ subject }) => subject?.split(' ')[0]);
		expect(await subjects('event=key_created')).toEqual(['B', 'A', 'test']);
		expect(await subjects('event=key_created&search=olga')).toEqual(['B', 'A']);
		expect(await subjects('search=TEAM')).toEqual(['a-team']);
		expect(await subjects('search=olga%20other')).toEqual(['other']);
		expect(await subjects('event=nothing')).toEqual([]);
		const first = await page('?event=key_created&limit=1');
		expect((await page(`?event=key_created&before=${first.next}`)).entries[0]?.subject?.[0]).toBe(
			'A',
		);
	});

	it('is kept for a year', async () => {
		await owner.call('POST', '/keys', { name: 'Workflow' });
		const rows = () => server.context.database.read.selectFrom('audit_log').selectAll().execute();
		server.clock.advance(364 * 86_400);
		await deleteOldAuditEntries(server.context);
		expect(await rows()).not.toEqual([]);
		server.clock.advance(2 * 86_400);
		await deleteOldAuditEntries(server.context);
		expect(await rows()).toEqual([]);
	});
});
