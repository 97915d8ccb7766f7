import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { MembersResponse } from '../../src/contract/console/members.ts';
import { createPairCode } from '../../src/service/phones/pairing.ts';
import type { ActingContext } from '../../src/service/audit.ts';
import { createSetupLink, inviteMember } from '../../src/service/people/join.ts';
import { createResetLink } from '../../src/service/people/members.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';

const NEXT = 'nine purple lanterns drift';

let server: TestServer;
let olga: Console;
/** A second owner. */
let ann: Console;
beforeEach(async () => {
	server = await startTestServer();
	olga = await signedIn(server, { email: 'olga@example.com' });
	ann = await signedIn(server, { invitedBy: olga, name: 'Ann', email: 'ann@example.com' });
	await olga.call('PUT', `/members/${ann.memberId}`, { role: 'owner' });
});
afterEach(() => server.close());

const eve = { name: 'Eve', email: 'eve@example.com', password: NEXT };
const join = async (token: string) =>
	(await callConsole(server, 'POST', '/join', { token, ...eve })).status;
const reset = async (token: string) =>
	(await callConsole(server, 'POST', '/reset', { token, password: NEXT })).status;
const pair = async (code: string) => {
	const payload = { code, name: 'New', platform: 'web' };
	return (await server.app.inject({ method: 'POST', url: '/device/pair', payload })).statusCode;
};

const invite = async (owner: Console, request: object = { role: 'owner' }) =>
	(await owner.call('POST', '/invitations', request)).body['token'] as string;
const resetLink = async (owner: Console, member: Console) =>
	(await owner.call('POST', `/members/${member.memberId}/reset-link`)).body['token'] as string;
const pairCode = async (owner: Console, user: string) =>
	(await owner.call('POST', '/devices/pair-code', { user })).body['code'] as string;
const members = async () => (await olga.call('GET', '/members')).body as unknown as MembersResponse;

const remove = (member: Console) => olga.call('DELETE', `/members/${member.memberId}`);
const demote = (member: Console) =>
	olga.call('PUT', `/members/${member.memberId}`, { role: 'member' });

const ENDS: Array<[string, (member: Console) => Promise<unknown>]> = [
	['removed', remove],
	['demoted', demote],
];

describe('what an owner has made for others', () => {
	it('works while they are an owner', async () => {
		expect(await join(await invite(ann))).toBe(200);
		expect(await reset(await resetLink(ann, olga))).toBe(200);
		expect(await pair(await pairCode(ann, 'Olga'))).toBe(200);
	});

	describe.each(ENDS)('ends when they are %s:', (_end, happens) => {
		it('an invitation', async () => {
			const token = await invite(ann);
			await happens(ann);
			expect(await join(token)).toBe(404);
			expect((await members()).invitations).toEqual([]);
		});

		it('a reset link, also one for another owner', async () => {
			const token = await resetLink(ann, olga);
			await happens(ann);
			expect(await reset(token)).toBe(404);
			expect((await olga.call('GET', '/session')).status).toBe(200);
			expect((await members()).reset_links).toEqual([]);
		});

		it('a pairing code for somebody else', async () => {
			const code = await pairCode(ann, 'Olga');
			await happens(ann);
			expect(await pair(code)).toBe(404);
		});

		it('and nothing that another owner has made', async () => {
			const [invitation, code] = [await invite(olga), await pairCode(olga, 'Olga')];
			await happens(ann);
			expect([await join(invitation), await pair(code)]).toEqual([200, 200]);
		});
	});

	it('does not come back with the role', async () => {
		const token = await invite(ann);
		await demote(ann);
		await olga.call('PUT', `/members/${ann.memberId}`, { role: 'owner' });
		expect(await join(token)).toBe(404);
	});

	it.each<[string, () => Promise<string>, (secret: string) => Promise<number>]>([
		['an invitation', () => invite(ann), join],
		['a reset link', () => resetLink(ann, olga), reset],
		['a pairing code', () => pairCode(ann, 'Olga'), pair],
	])('ends although %s is being used when the role is taken away', async (_what, make, use) => {
		const secret = await make();
		const { database } = server.context;
		const write = database.write.bind(database);
		jest.spyOn(database, 'write').mockImplementationOnce(async (account, job) => {
			await demote(ann);
			return write(account, job);
		});
		expect(await use(secret)).toBe(404);
	});

	it('is not made by a request that began before the role was taken away', async () => {
		const { id } = server.account;
		for (const [end, happens] of [...ENDS].reverse()) {
			await happens(ann);
			const actor = {
				kind: 'member' as const,
				id: ann.memberId,
				name: 'Ann',
				email: 'ann@example.com',
			};
			const context: ActingContext = { ...server.context, actor };
			const refused = { kind: 'forbidden', error: 'Owners only' };
			const request = { role: 'owner' as const };
			await expect(inviteMember(context, id, request)).rejects.toMatchObject(refused);
			await expect(createResetLink(context, id, olga.memberId)).rejects.toMatchObject(refused);
			await expect(createPairCode(context, id, 'Olga')).rejects.toMatchObject(refused);
			expect(await members()).toMatchObject({ invitations: [], reset_links: [] });
			expect((await members()).members).toHaveLength(end === 'demoted' ? 2 : 1);
		}
	});

	it('made by a command has no maker, and stays', async () => {
		const token = await inviteMember(server.context, server.account.id, { role: 'member' });
		expect((await members()).invitations).toMatchObject([{ created_by: null }]);
		await demote(ann);
		expect(await join(token)).toBe(200);
	});
});

describe('a member who was an owner', () => {
	it('goes on as a member in the sessions that are open', async () => {
		expect((await ann.call('GET', '/audit')).status).toBe(200);
		await demote(ann);
		expect((await ann.call('GET', '/session')).body['member'].role).toBe('member');
		for (const [method, path, body] of [
			['GET', '/audit', undefined],
			['POST', '/invitations', { role: 'owner' }],
			['POST', '/keys', { name: 'Mine' }],
			['POST', `/members/${olga.memberId}/reset-link`, undefined],
		] as const)
			expect((await ann.call(method, path, body)).status).toBe(403);
	});
});

describe('a reset link', () => {
	it('ends when a setup link sets the password of its member', async () => {
		const token = await resetLink(ann, olga);
		const [account] = await server.context.database.read
			.selectFrom('accounts')
			.selectAll()
			.execute();
		const setup = await createSetupLink(server.context, account!);
		const again = { name: 'Olga', email: 'olga@example.com', password: PASSWORD };
		expect((await callConsole(server, 'POST', '/join', { token: setup, ...again })).status).toBe(
			200,
		);
		expect(await reset(token)).toBe(404);
	});
});

describe('links that still work', () => {
	it('are listed with their maker and their end, and nothing that opens them', async () => {
		const invitation = await invite(ann, { role: 'member', email: 'max@example.com' });
		const link = await resetLink(olga, ann);
		const list = await members();
		expect(list).toMatchObject({
			invitations: [
				{
					role: 'member',
					email: 'max@example.com',
					created_by: 'Ann',
					expires_at: server.timestamp(7 * 86_400),
				},
			],
			reset_links: [{ member: 'Ann', created_by: 'Olga', expires_at: server.timestamp(86_400) }],
		});
		for (const token of [invitation, link]) expect(JSON.stringify(list)).not.toContain(token);
	});

	it('are no longer listed once they are used or over', async () => {
		await join(await invite(ann));
		await reset(await resetLink(olga, ann));
		await resetLink(olga, ann);
		server.clock.advance(86_400 + 1);
		expect(await members()).toMatchObject({ invitations: [], reset_links: [] });
	});

	it('are withdrawn by any owner, and then open nothing', async () => {
		const [invitation, link] = [await invite(ann), await resetLink(ann, olga)];
		const { invitations, reset_links: links } = await members();
		const withdraw = async (by: Console, id: string) =>
			(await by.call('DELETE', `/invitations/${id}`)).status;
		for (const { id } of [...invitations, ...links]) {
			expect(await withdraw(olga, id)).toBe(200);
			expect(await withdraw(olga, id)).toBe(404);
		}
		expect([await join(invitation), await reset(link)]).toEqual([404, 404]);
		expect(await members()).toMatchObject({ invitations: [], reset_links: [] });
	});

	it('are withdrawn by owners of the account alone', async () => {
		const link = await resetLink(ann, olga);
		const [{ id } = { id: '' }] = (await members()).reset_links;
		const max = await signedIn(server, { invitedBy: olga });
		const other = await server.addAccount();
		const stranger = await signedIn(server, { account: other.id });
		expect((await max.call('DELETE', `/invitations/${id}`)).status).toBe(403);
		expect((await stranger.call('DELETE', `/invitations/${id}`)).status).toBe(404);
		expect(await reset(link)).toBe(200);
	});
});
