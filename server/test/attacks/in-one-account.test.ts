import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { callbacks } from '../../src/service/questions/callbacks.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { quietSummaries } from '../../src/service/sending/quiet-summary.ts';
import { pushExpiry } from '../../src/service/sending/stored-pushes.ts';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { callConsole, PASSWORD, signedIn } from '../console/support/console.ts';
import { send } from '../senders/support/send.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import {
	addMember,
	answerOn,
	ASKED,
	done,
	onPhone,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/**
 * Attempts of one member, or one phone, against the others of the same account: by fields that a call does not have, at
 * the same time as somebody else, and with what comes back later. Ada alone is in `ops`, Bob alone in `sales`.
 */

let team: Team;
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => void response.end('{}'));
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterEach(async () => {
	await withdrawOpen(team.server, team.ada);
	await withdrawOpen(team.server, team.bob);
	team.server.clock.advance(60);
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const ask = async (more: object = {}) =>
	(await call('POST', '/questions', { ...ASKED, ...more }))['question_id'];
const stateOf = (id: string) => call('GET', `/questions/${id}`);
const later = (seconds: number) => team.server.clock.advance(seconds);
const letAttemptsPass = () => later(15 * 60);
const members = async (): Promise<any[]> =>
	(await done(team.olga.call('GET', '/members')))['members'];
const channelOf = async (slug: string) => (await team.olga.call('GET', `/channels/${slug}`)).body;

describe('a member gets more by a field that a call does not have', () => {
	it.each<[string, 'PUT' | 'POST', (id: string, phone: string) => string, object]>([
		['a role, with a name', 'PUT', () => '/profile', { name: 'Max II', role: 'owner' }],
		['another member, with a name', 'PUT', () => '/profile', { name: 'X', id: 'OLGA' }],
		[
			'a person, with a phone’s name',
			'PUT',
			(_id, phone) => `/devices/${phone}`,
			{
				...{ name: 'X', user: 'Max', user_id: 'MAX' },
			},
		],
		['an owner, with a code', 'POST', () => '/devices/pair-code', { user: 'Ada', by: 'OLGA' }],
		['two people, with a code', 'POST', () => '/devices/pair-code', { user: ['Max', 'Ada'] }],
		[
			'a phone, with a code',
			'POST',
			() => '/devices/pair-code',
			{ user: 'Max', device_id: 'dev_x' },
		],
		['an id, with a person', 'POST', () => '/users', { name: 'New one', id: 'usr_x' }],
		['a member, with a person', 'POST', () => '/users', { name: 'New two', member: 'OLGA' }],
		['a key, with a channel', 'PUT', () => '/channels/ops', { users: ['Ada'], keys: ['x'] }],
		['an account, with a channel', 'POST', () => '/channels', { slug: 'n3w', account_id: 'x' }],
	])('%s', async (_what, method, path, body) => {
		const max = await team.idOf('Max');
		const text = JSON.stringify(body).replace('OLGA', team.olga.memberId).replace('MAX', max);
		const before = [await members(), await channelOf('ops'), (await team.ada.snapshot()).device];
		const { status } = await team.max.call(method, path(max, team.ada.id), JSON.parse(text));
		expect([400, 403]).toContain(status);
		expect([await members(), await channelOf('ops'), (await team.ada.snapshot()).device]).toEqual(
			before,
		);
	});

	it.each(['same-site', 'cross-site', 'Same-Origin', 'same-origin, cross-site', ''])(
		'as a page of another site, by the site %j',
		async (site) => {
			const { cookie, csrf } = team.olga;
			const headers = { cookie, csrf, 'sec-fetch-site': site };
			const added = await callConsole(team.server, 'POST', '/users', { name: 'Foreign' }, headers);
			const read = await callConsole(team.server, 'GET', '/session', undefined, headers);
			expect([added.status, read.status]).toEqual([403, 403]);
		},
	);

	it('with two cookies, of which one is another’s', async () => {
		for (const cookie of [
			`${team.max.cookie}; ${team.olga.cookie}`,
			`${team.olga.cookie}; ${team.max.cookie}`,
		]) {
			const { csrf } = team.max;
			const sent = { cookie, csrf };
			const { status } = await callConsole(team.server, 'POST', '/keys', { name: 'Mine' }, sent);
			expect(status).toBe(403);
		}
	});

	it('by the name of another’s session, in its list or its middle', async () => {
		letAttemptsPass();
		const eve = await addMember(team, 'member');
		const sessions = (await done(team.olga.call('GET', '/sessions'))) as unknown as any[];
		for (const { id } of sessions)
			for (const name of [id, id.slice(0, 8), `${id}%`, '%', '_'])
				expect((await eve.call('DELETE', `/sessions/${encodeURIComponent(name)}`)).status).toBe(
					404,
				);
		expect(await done(eve.call('DELETE', '/sessions'))).toEqual({ ended: 0 });
		expect((await team.olga.call('GET', '/session')).status).toBe(200);
	});

	it('by the person that they have prepared for who is invited', async () => {
		letAttemptsPass();
		await done(team.max.call('POST', '/users', { name: 'Nina' }));
		await done(
			team.max.call('POST', '/channels', { slug: 'prepared', name: 'Prepared', users: ['Nina'] }),
		);
		const nina = await signedIn(team.server, {
			...{ invitedBy: team.olga, name: 'Nina K.', email: 'nina@example.com' },
		});
		expect(await channelOf('prepared')).toMatchObject({ users: ['Nina'] });
		const code = await nina.call('POST', '/devices/pair-code', { user: 'Nina' });
		expect(code.status).toBe(403);
		const id = await ask({ answerable_by: ['Ada'], target: onPhone(team.ada) });
		expect(
			(await nina.call('POST', `/questions/${id}/answer`, { choice: 'yes' })).body,
		).toMatchObject({
			outcome: 'refused',
		});
	});

	it('by a code that they made before they were removed', async () => {
		letAttemptsPass();
		const eve = await addMember(team, 'member');
		const name = (await members()).find(({ id }) => id === eve.memberId).name;
		const { code } = await done(eve.call('POST', '/devices/pair-code', { user: name }));
		await done(team.olga.call('DELETE', `/members/${eve.memberId}`));
		const pairing = { code, name: 'Late', platform: 'web' };
		const { status } = await send(team.server, '/device/pair', { body: pairing });
		expect(status).toBe(404);
	});
});

describe('two act on a question at the same time', () => {
	const withCallback = () =>
		ask({ target: onPhone(team.ada), callback: { url: `${receiver.url}/told` } });
	const settle = async (id: string) => {
		await settleDue(team.server.context, callbacks);
		return receiver.received
			.map(({ body }) => JSON.parse(body))
			.filter((one) => one.question_id === id);
	};

	it.each<[string, (id: string) => Promise<{ status: number }>]>([
		['an owner withdraws it', (id) => team.olga.call('DELETE', `/questions/${id}`)],
		['its key withdraws it', (id) => team.server.call('DELETE', `/questions/${id}`)],
		['the same phone says no', (id) => answerOn(team.ada, id, { choice: 'no' })],
	])('%s, and Ada says yes: one counts, and the workflow is told that', async (_what, act) => {
		const id = await withCallback();
		const [answered] = await Promise.all([answerOn(team.ada, id), act(id)]);
		const state = await stateOf(id);
		const isAdas = answered.body['outcome'] === 'answered';
		expect(state['answer']?.choice === 'yes').toBe(isAdas);
		const told = await settle(id);
		expect(told.length).toBeLessThanOrEqual(1);
		for (const one of told) expect(one).toMatchObject({ status: state['status'] });
	});

	it('the owner removes the member who answers: the answer counts wholly, or not at all', async () => {
		letAttemptsPass();
		const eve = await addMember(team, 'member');
		const id = await ask();
		const [answered, removed] = await Promise.all([
			eve.call('POST', `/questions/${id}/answer`, { choice: 'yes' }),
			team.olga.call('DELETE', `/members/${eve.memberId}`),
		]);
		expect(removed.status).toBe(200);
		const { status } = await stateOf(id);
		const counted = answered.status === 200 && answered.body['outcome'] === 'answered';
		expect(status === 'answered').toBe(counted);
		expect((await eve.call('POST', `/questions/${id}/answer`, { choice: 'no' })).status).toBe(401);
	});

	it('who is named, and is asked only by the escalation, answers before it', async () => {
		const escalate = { after_minutes: 5, target: { channels: ['sales'] } };
		const target = { channels: ['ops'] };
		const id = await ask({ target, escalate, answerable_by: ['Bob', 'Ada'] });
		expect((await answerOn(team.bob, id)).status).toBe(404);
		expect((await stateOf(id))['status']).toBe('open');
		later(301);
		await settleDue(team.server.context, questionTimes);
		expect((await answerOn(team.bob, id)).body).toMatchObject({ outcome: 'answered' });
	});

	it('the phone is renamed since it answered: what it was called then is kept', async () => {
		const id = await ask({ target: onPhone(team.ada) });
		await done(answerOn(team.ada, id));
		const before = (await stateOf(id))['answer'];
		await done(team.max.call('PUT', `/devices/${team.ada.id}`, { name: 'Phone of Olga' }));
		expect((await stateOf(id))['answer']).toEqual(before);
		await done(team.max.call('PUT', `/devices/${team.ada.id}`, { name: 'Phone of Ada' }));
	});
});

describe('what its sender has taken back, or what is over, comes back to a phone', () => {
	const ZONE = { time_zone: 'UTC' };
	const mute = () => done(team.ada.call('PUT', '/quiet/mute', { mute: 'hour', ...ZONE }));
	const target = { channels: ['ops'] };
	const headers = { 'x-sequence-id': 'taken-back' };
	const push = (title: string, more: object = {}) =>
		call('POST', '/push-notification', { title, target }, more);
	const clear = async () => {
		const key = await team.server.addSenderKey(['ops']);
		expect(
			(await send(team.server, '/ntfy/ops/taken-back', { key, method: 'DELETE' })).status,
		).toBe(200);
	};
	const idOf = async (title: string) =>
		(await team.ada.snapshot()).notifications.find((one: any) => one.push.title === title)?.id;
	const titles = async () =>
		(await team.ada.snapshot()).notifications.map((one: any) => one.push.title);
	/** The last summary. */
	const summary = async () => {
		later(3_700);
		await settleDue(team.server.context, quietSummaries);
		return JSON.stringify((await team.ada.snapshot()).notifications[0].push);
	};

	it('in the summary of a quiet time', async () => {
		await mute();
		await push('Cleared', { headers });
		await push('Kept');
		await clear();
		const told = await summary();
		expect(told).toContain('Kept');
		expect(told).not.toContain('Cleared');
	});

	it.each<[string, (id: string) => Promise<unknown>]>([
		['withdrawn', (id) => call('DELETE', `/questions/${id}`)],
		[
			'answered',
			(id) => done(team.olga.call('POST', `/questions/${id}/answer`, { choice: 'yes' })),
		],
	])('a question that was %s, as if it were open, on the lock screen', async (_how, end) => {
		await mute();
		const id = await ask({ title: 'Over?' });
		await end(id);
		later(3_700);
		await settleDue(team.server.context, quietSummaries);
		const { questions } = await team.ada.snapshot();
		const shown = questions.filter(({ push: { title } }: any) => title === 'Over?');
		for (const { push: one } of shown) expect(one.question.status).not.toBe('open');
		expect((await answerOn(team.ada, id)).body['outcome']).not.toBe('answered');
	});

	it('a push that was dismissed, and then cleared, by an undo', async () => {
		await push('Dismissed', { headers });
		later(1);
		const delivery_id = await idOf('Dismissed');
		const { undo } = await done(team.ada.call('POST', '/dismissals', { delivery_id }));
		later(1);
		await clear();
		await done(team.ada.call('POST', '/notifications/restore', { undo }));
		expect(await titles()).not.toContain('Dismissed');
	});

	// Low: only what this phone had, from a page that is stale (a sibling of the known snooze of a cleared push). Fix:
	// `reportDismissal` (service/phones/dismissals.ts) sets `dismissed_at` only where it is null.
	it.failing('a push that was cleared, by a dismissal on a stale page, and its undo', async () => {
		await push('Stale', { headers });
		later(1);
		const delivery_id = await idOf('Stale');
		await clear();
		later(1);
		const { body } = await team.ada.call('POST', '/dismissals', { delivery_id });
		if (body['undo']) await team.ada.call('POST', '/notifications/restore', { undo: body['undo'] });
		expect(await titles()).not.toContain('Stale');
	});

	// Low: the person has asked for it, yet its sender was promised that it is no longer delivered; their other phone may
	// never have got it. Fix: `pushExpiry` (service/sending/stored-pushes.ts) also calls `deleteSnoozesOf(db, messageIds)`.
	it.failing('a push that was snoozed, and has expired since', async () => {
		await push('Expired', { headers: { ttl: '60' } });
		const delivery_id = await idOf('Expired');
		await done(team.ada.call('POST', '/snoozes', { delivery_id, until: 'hour', ...ZONE }));
		later(61);
		await settleDue(team.server.context, pushExpiry);
		later(3_600);
		await settleDue(team.server.context, snoozes);
		expect(await titles()).not.toContain('Expired');
	});

	it('a tap of it is reported again by another phone, under the same number', async () => {
		const both = { channels: ['ops', 'sales'] };
		const actions = [{ type: 'webhook', title: 'Go', url: `${receiver.url}/tapped` }];
		await call('POST', '/push-notification', { title: 'Both', target: both, actions });
		const tap_id = randomUUID();
		const before = receiver.received.length;
		const [adas, bobs] = await Promise.all(
			[team.ada, team.bob].map(async (phone) => {
				const { id: delivery_id } = (await phone.inbox()).at(-1);
				return done(phone.call('POST', '/taps', { tap_id, delivery_id, action: 0 }));
			}),
		);
		// Numbers are unique on a phone alone: neither gets the other's outcome.
		expect([adas?.['outcome'], bobs?.['outcome']]).toEqual(['called', 'called']);
		const users = receiver.received.slice(before).map(({ headers: told }) => told['beckon-user']);
		expect(users.toSorted()).toEqual(['Ada', 'Bob']);
	});
});

describe('the entrance is closed for others', () => {
	it('by wrong passwords for their address, from elsewhere: their own browser still gets in', async () => {
		letAttemptsPass();
		const email = 'locked@example.com';
		const max = await signedIn(team.server, { invitedBy: team.olga, name: 'Locked', email });
		const login = { email, password: PASSWORD };
		const first = await callConsole(team.server, 'POST', '/login', login);
		expect(first.status).toBe(200);
		const cookies = first.raw.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
		for (let at = 0; at < 12; at += 1)
			await callConsole(team.server, 'POST', '/login', { email, password: `wrong ${at} password` });
		const again = await callConsole(team.server, 'POST', '/login', login, { cookie: cookies });
		expect(again.status).toBe(200);
		expect((await max.call('GET', '/session')).status).toBe(200);
	});
});
