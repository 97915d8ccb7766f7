import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Method } from '../support/server.ts';
import { type Console, callConsole, PASSWORD, signedIn } from '../console/support/console.ts';
import {
	addMember,
	answerOn,
	ASKED,
	cardsOn,
	done,
	shows,
	startTeam,
	type Team,
} from './support/team.ts';

/** Attempts at the entrance of the console, and of an owner of another account with ids of this one. */

let team: Team;
let stranger: Console;
beforeAll(async () => {
	team = await startTeam();
	const other = await team.server.addAccount();
	team.server.clock.advance(15 * 60);
	stranger = await signedIn(team.server, { account: other.id, name: 'Stranger' });
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const NEW = 'another correct horse battery';
const letAttemptsPass = () => team.server.clock.advance(15 * 60);
/** @returns the status */
async function enter(path: string, body: object): Promise<number> {
	return (await callConsole(team.server, 'POST', path, body)).status;
}
const joining = (token: unknown, name = team.unique('Guest')) => ({
	token,
	name,
	email: `${name.replace(' ', '')}@example.com`,
	password: PASSWORD,
});
const invite = async (more: object = {}, by = team.olga) =>
	(await done(by.call('POST', '/invitations', { role: 'member', ...more })))['token'];
const resetLink = async (memberId: string, by = team.olga) =>
	(await done(by.call('POST', `/members/${memberId}/reset-link`)))['token'];
const members = async (): Promise<any[]> =>
	(await done(team.olga.call('GET', '/members')))['members'];

describe('somebody enters who may not', () => {
	it('as two people by one invitation, at once', async () => {
		letAttemptsPass();
		const token = await invite();
		const before = (await members()).length;
		const both = await Promise.all([
			enter('/join', joining(token)),
			enter('/join', joining(token)),
		]);
		expect(both.toSorted()).toEqual([200, 404]);
		expect(await members()).toHaveLength(before + 1);
	});

	it('by a link for something else', async () => {
		letAttemptsPass();
		const eve = await addMember(team, 'member');
		const [invitation, reset] = [await invite(), await resetLink(eve.memberId)];
		expect(await enter('/reset', { token: invitation, password: NEW })).toBe(404);
		expect(await enter('/join', joining(reset))).toBe(404);
		expect((await eve.call('GET', '/session')).status).toBe(200);
	});

	it('by an invitation for another address, in whatever spelling', async () => {
		letAttemptsPass();
		const token = await invite({ email: 'boss@example.com' });
		for (const email of ['eve@example.com', 'boss@example.com.evil.example', 'b0ss@example.com'])
			expect(await enter('/join', { ...joining(token), email })).toBe(409);
		const asOwner = { ...joining(token), email: 'boss@example.com', role: 'owner' };
		expect(await enter('/join', asOwner)).toBe(400);
		expect(await enter('/join', { ...joining(token), email: ' BOSS@Example.com ' })).toBe(200);
	});

	it('by an invitation that is withdrawn while the password is hashed', async () => {
		letAttemptsPass();
		const token = await invite();
		const { invitations } = await done(team.olga.call('GET', '/members'));
		const before = (await members()).length;
		const [joined] = await Promise.all([
			enter('/join', joining(token)),
			team.olga.call('DELETE', `/invitations/${invitations.at(-1).id}`),
		]);
		expect(joined).toBe(404);
		expect(await members()).toHaveLength(before);
	});

	it('with a second link to set the same password', async () => {
		letAttemptsPass();
		const eve = await addMember(team, 'member');
		const [first, second] = [await resetLink(eve.memberId), await resetLink(eve.memberId)];
		expect(await enter('/reset', { token: first, password: NEW })).toBe(404);
		expect(await enter('/reset', { token: second, password: NEW })).toBe(200);
		expect(await enter('/reset', { token: second, password: PASSWORD })).toBe(404);
		expect((await eve.call('GET', '/session')).status).toBe(401);
	});

	it('by a link of an owner who is none any more, for another member', async () => {
		letAttemptsPass();
		const [eve, max] = [await addMember(team, 'owner'), await addMember(team, 'member')];
		const [token, invitation] = [await resetLink(max.memberId, eve), await invite({}, eve)];
		await done(team.olga.call('PUT', `/members/${eve.memberId}`, { role: 'member' }));
		letAttemptsPass();
		expect(await enter('/reset', { token, password: NEW })).toBe(404);
		expect(await enter('/join', joining(invitation))).toBe(404);
		expect((await max.call('GET', '/session')).status).toBe(200);
	});

	it('by a link that was made for who has been removed', async () => {
		letAttemptsPass();
		const eve = await addMember(team, 'member');
		const token = await resetLink(eve.memberId);
		await done(team.olga.call('DELETE', `/members/${eve.memberId}`));
		expect(await enter('/reset', { token, password: NEW })).toBe(404);
	});

	it('or changes something with the cookie of one, and the token of another', async () => {
		const { cookie } = team.olga;
		for (const csrf of [team.max.csrf, '', null, `${team.olga.csrf} `]) {
			const { status } = await callConsole(
				team.server,
				'POST',
				'/keys',
				{ name: 'Mine' },
				{
					cookie,
					csrf,
				},
			);
			expect([csrf, status]).toEqual([csrf, 403]);
		}
	});

	it.each(['cross-site', 'same-site'])('or does so from a page that is %s', async (site) => {
		const { cookie, csrf } = team.olga;
		const from = { cookie, csrf, 'sec-fetch-site': site };
		const { status } = await callConsole(team.server, 'POST', '/keys', { name: 'Mine' }, from);
		expect(status).toBe(403);
		expect((await callConsole(team.server, 'GET', '/history', undefined, from)).status).toBe(403);
	});

	it('or ends a session of another, by its id', async () => {
		const sessions = (await done(team.olga.call('GET', '/sessions'))) as unknown as any[];
		for (const { id } of sessions) {
			expect((await team.max.call('DELETE', `/sessions/${id}`)).status).toBe(404);
			expect((await stranger.call('DELETE', `/sessions/${id}`)).status).toBe(404);
		}
		await done(team.max.call('DELETE', '/sessions'));
		expect((await team.olga.call('GET', '/session')).status).toBe(200);
	});
});

/** What this account has, by which the owner of another tries to reach it. */
async function things() {
	const { server, olga, max, ada } = team;
	const { question_id: question } = await call('POST', '/questions', ASKED);
	const stream = team.unique('stream').replace(' ', '-');
	const path = `/live-activity/stream/${stream}`;
	const { activity_id: activity } = await call('PUT', path, shows('Secret'));
	const repeat = { every_minutes: 1, times: 1 };
	const push = { title: 'Secret' };
	const { repeat_id } = await call('POST', '/push-notification/repeated', { push, repeat });
	const { entries } = await done(olga.call('GET', '/history'));
	const keys = (await done(olga.call('GET', '/keys'))) as unknown as any[];
	await invite();
	const { invitations } = await done(olga.call('GET', '/members'));
	const metric = team.unique('metric').replace(' ', '-');
	await server.addMetric({ key: metric });
	return {
		question,
		stream,
		activity,
		repeat: repeat_id as string,
		entry: entries[0].id as string,
		key: keys[0].id as string,
		invitation: invitations.at(-1).id as string,
		metric,
		member: max.memberId,
		person: await team.idOf('Ada'),
		phone: ada.id,
	};
}

type Things = Awaited<ReturnType<typeof things>>;

const STRANGE: Record<string, (of: Things) => [Method, string, object?]> = {
	'reads an entry': ({ entry }) => ['GET', `/history/${entry}`],
	'reads the phones of a person': ({ person }) => ['GET', `/users/${person}/phones`],
	'reads a channel': () => ['GET', '/channels/ops'],
	'changes a channel': () => ['PUT', '/channels/ops', { users: [] }],
	'deletes a channel': () => ['DELETE', '/channels/ops'],
	'revokes a key': ({ key }) => ['DELETE', `/keys/${key}`, { withdraw_questions: true }],
	'renames a metric': ({ metric }) => [
		'PUT',
		`/metrics/${metric}`,
		{ name: 'A', format: 'number' },
	],
	'deletes a metric': ({ metric }) => ['DELETE', `/metrics/${metric}`],
	'pauses a stream': ({ stream }) => ['POST', `/streams/${stream}/pause`],
	'resumes a stream': ({ stream }) => ['POST', `/streams/${stream}/resume`],
	'ends a stream': ({ stream }) => ['DELETE', `/streams/${stream}`],
	'ends a Live Activity': ({ activity }) => ['POST', `/activities/${activity}/end`],
	'withdraws an invitation': ({ invitation }) => ['DELETE', `/invitations/${invitation}`],
	'makes a link for a member': ({ member }) => ['POST', `/members/${member}/reset-link`],
	'changes a role': ({ member }) => ['PUT', `/members/${member}`, { role: 'owner' }],
	'removes a member': ({ member }) => ['DELETE', `/members/${member}`],
	'renames a person': ({ person }) => ['PUT', `/users/${person}`, { name: 'Mine' }],
	'removes a person': ({ person }) => ['DELETE', `/users/${person}`],
	'merges a person with themselves': ({ person }) => [
		'POST',
		`/users/${person}/merge`,
		{ into: person },
	],
	'disconnects a phone': ({ phone }) => ['DELETE', `/devices/${phone}`],
	'removes a phone': ({ phone }) => ['POST', `/devices/${phone}/remove`],
	'makes a code for a person': () => ['POST', '/devices/pair-code', { user: 'Bob' }],
	'tells a workflow again': ({ question }) => ['POST', `/questions/${question}/callback`],
	'previews a change': ({ activity }) => [
		'POST',
		'/playground/preview',
		{ request: 'update', body: { activity_id: activity, content_state: {} } },
	],
	'previews the change of a stream': ({ stream }) => [
		'POST',
		'/playground/preview',
		{ request: 'stream', key: stream, body: { content_state: {} } },
	],
	'sends a change': ({ activity }) => [
		'POST',
		'/playground/send',
		{ request: 'end', body: { activity_id: activity, content_state: {} } },
	],
	'stops a repeat': ({ repeat }) => [
		'POST',
		'/playground/send',
		{ request: 'repeated_stop', key: repeat, body: null },
	],
	'sends to a channel': () => [
		'POST',
		'/playground/send',
		{ request: 'push', body: { title: 'A', target: { channels: ['ops'] } } },
	],
	'sends to a phone': ({ phone }) => [
		'POST',
		'/playground/send',
		{
			request: 'push',
			body: { title: 'A', target: { channels: [`phone-${toHex(phone)}`] } },
		},
	],
};

const toHex = (id: string) => Buffer.from(id.slice(4), 'base64url').toString('hex');

describe('an owner of another account', () => {
	let of: Things;
	beforeAll(async () => {
		of = await things();
	});

	it.each(Object.keys(STRANGE))('%s', async (what) => {
		const before = [await team.ada.inbox(), await members()];
		const { status, body } = await stranger.call(...STRANGE[what]!(of));
		expect([400, 403, 404]).toContain(status);
		expect(JSON.stringify(body)).not.toMatch(/Secret|Ada|Max/);
		expect([await team.ada.inbox(), await members()]).toEqual(before);
		expect(await call('GET', `/questions/${of.question}`)).toMatchObject({ status: 'open' });
		expect(await cardsOn(team.ada)).toContain('Secret');
	});

	it.each([
		'/history?search=Secret',
		'/history?search=%25',
		'/history?search=_',
		'/history?key=console',
		'/history?channel=ops',
		'/history.csv',
		'/questions?status=open',
		'/questions?status=ended',
		'/users?search=%25',
		'/devices?search=_',
		'/channels?search=%25',
		'/user-names',
		'/channel-names',
		'/keys',
		'/live',
		'/members',
		'/metrics',
		'/audit',
		'/usage',
		'/first-steps',
	])('reads %s, which has nothing of this one', async (path) => {
		const { body } = await stranger.call('GET', path);
		expect(JSON.stringify(body)).not.toMatch(/Secret|Ada|Max|Olga|Deploy|metric-|stream-/);
	});

	it('goes on reading where a page of this one ended', async () => {
		const { cursor } = await done(team.olga.call('GET', '/history?limit=1'));
		const places = [`/history?cursor=${cursor}`, `/questions?status=open&after=${of.question}`];
		for (const path of [...places, `/questions?status=open&after=zzz`])
			expect(JSON.stringify((await stranger.call('GET', path)).body)).not.toMatch(/Secret|Deploy/);
		const answered = await answerOn(team.stranger, of.question);
		expect(answered.status).toBe(404);
	});
});

describe('a table of the history runs on the machine of who opens it', () => {
	it.each([
		'=1+1',
		'\u00A0=1+1',
		'\uFEFF@SUM(1)',
		'\n=1+1',
		'＝1+1',
		'-1+cmd',
		'+1',
		'\t=1',
		';=1',
		'  =1',
	])('by the metadata or title %j', async (text) => {
		await call('POST', '/push-notification', { title: `${text} x`, tags: ['table'] });
		await call('POST', '/push-notification', {
			title: 'x',
			metadata: { note: text },
			tags: ['table'],
		});
		const csv = (await done(team.olga.call('GET', '/history.csv?tags=table'))) as unknown as string;
		for (const cell of csv.split(/,|\r\n/))
			expect(cell).not.toMatch(/^"?[\s\uFEFF]*[=+\-@＝＋－＠]/u);
	});
});
