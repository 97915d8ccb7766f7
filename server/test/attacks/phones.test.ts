import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { settleDue } from '../support/later.ts';
import { OPEN_URL } from '../support/samples.ts';
import type { Method, TestPhone } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { answerOn, ASKED, done, onPhone, shows, startTeam, type Team } from './support/team.ts';

/** Attempts of one paired phone to use, to see or to change what only another phone has got, or to be another one. */

let team: Team;
beforeAll(async () => {
	team = await startTeam();
});
afterAll(() => team.server.close());

const post = (path: string, body: object, key?: string) =>
	done(team.server.call('POST', path, body, key === undefined ? {} : { key }));
const newest = async (phone: TestPhone) => (await phone.inbox()).at(-1).id as number;

/** What Ada's phone alone has got. */
interface Theirs {
	push: number;
	question: number;
	questionId: string;
	activity: string;
}

async function sendToAda(): Promise<Theirs> {
	const target = onPhone(team.ada);
	await post('/push-notification', { title: 'Secret', actions: [OPEN_URL], target });
	const push = await newest(team.ada);
	const { question_id } = await post('/questions', { ...ASKED, target });
	const question = await newest(team.ada);
	const started = { ...shows('Secret'), action: OPEN_URL, target };
	const { activity_id } = await post('/live-activity/start', started);
	return { push, question, questionId: question_id, activity: activity_id };
}

const tap = () => ({ tap_id: randomUUID() });
const until = { until: 'hour', time_zone: 'Europe/Berlin' };

/** The calls of a phone that name something. */
const USES: Record<string, (theirs: Theirs) => [Method, string, object?]> = {
	'reads its message': ({ push }) => ['GET', `/deliveries/${push}/message`],
	'acknowledges it': ({ push }) => ['POST', '/acknowledge', { deliveries: [push] }],
	'dismisses it': ({ push }) => ['POST', '/dismissals', { delivery_id: push }],
	'dismisses its Live Activity': ({ activity }) => [
		'POST',
		'/dismissals',
		{ activity_id: activity },
	],
	'snoozes it': ({ push }) => ['POST', '/snoozes', { delivery_id: push, ...until }],
	'snoozes its question': ({ question }) => [
		'POST',
		'/snoozes',
		{ delivery_id: question, ...until },
	],
	'taps its button': ({ push }) => ['POST', '/taps', { ...tap(), delivery_id: push, action: 0 }],
	'taps the button of its Live Activity': ({ activity }) => [
		'POST',
		'/taps',
		{ ...tap(), activity_id: activity, action: 'action' },
	],
	'answers its question': ({ questionId }) => [
		'POST',
		`/questions/${questionId}/answer`,
		{ ...tap(), choice: 'yes' },
	],
	'registers a token for its Live Activity': ({ activity }) => [
		'PUT',
		`/activities/${activity}/token`,
		{ token: 'stolen' },
	],
	'clears everything up to it': ({ question }) => [
		'POST',
		'/notifications/clear',
		{ up_to: question },
	],
};

describe('a phone has not got what it names, but', () => {
	it.each(Object.keys(USES))('%s', async (what) => {
		const { server, ada, bob, stranger, storedOf } = team;
		// One of the same person, which is paired too late, and whose person sees things once.
		server.clock.advance(61);
		const theirs = await sendToAda();
		await done(ada.call('PUT', '/preferences', { seen_once: true }));
		const tablet = await server.pairPhone({ user: 'Ada', name: 'Tablet' });
		const before = await waitFor('the outcomes of what she was sent', async () => {
			const stored = await storedOf(ada);
			return !/"leased_until":\d/.test(JSON.stringify(stored)) && stored;
		});
		for (const phone of [bob, tablet, stranger]) {
			const { status, body } = await phone.call(...USES[what]!(theirs));
			const isNothing = body['acknowledged'] === 0 || body['cleared'] === 0;
			expect([status, isNothing || body['error'] !== undefined]).toEqual([
				isNothing ? 200 : 404,
				true,
			]);
			expect(await storedOf(ada)).toEqual(before);
		}
		await tablet.call('DELETE', '/');
		await post('/live-activity/end', { activity_id: theirs.activity, content_state: {} });
		await done(server.call('DELETE', `/questions/${theirs.questionId}`));
	});

	it.each([
		'/inbox?limit=500',
		'/history?limit=100',
		'/history?search=Secret',
		'/history?channel=ops',
		'/history?tag_part=secret&before=999999',
		'/snapshot',
	])('reads it by %s', async (path) => {
		const { ops, bob, stranger, max, ada } = team;
		const sent = { title: 'Secret', message: 'Secret', tags: ['secret'] };
		await post('/push-notification', sent, ops);
		const { question_id } = await post('/questions', { ...ASKED, ...sent }, ops);
		const { activity_id } = await post('/live-activity/start', shows('Secret'), ops);
		for (const phone of [bob, stranger])
			expect(JSON.stringify(await done(phone.call('GET', path)))).not.toContain('Secret');
		expect(JSON.stringify(await done(ada.call('GET', '/snapshot')))).toContain('Secret');
		await post('/live-activity/end', { activity_id, content_state: {} });
		expect(
			(await max.call('POST', `/questions/${question_id}/answer`, { choice: 'yes' })).body,
		).toMatchObject({ outcome: 'refused' });
		await done(team.server.call('DELETE', `/questions/${question_id}`));
	});

	it('mutes a channel of others, or learns its name', async () => {
		for (const phone of [team.bob, team.stranger]) {
			expect((await phone.call('PUT', '/channels/ops', { muted: true })).status).toBe(404);
			expect(JSON.stringify((await phone.call('GET', '/channels')).body)).not.toContain('ops');
		}
		await post('/push-notification', { title: 'Heard' }, team.ops);
		expect((await team.ada.inbox()).at(-1)).not.toHaveProperty('muted');
	});
});

describe('what one does with a push of several people', () => {
	const shownOn = async (phone: TestPhone) =>
		(await phone.snapshot()).notifications.map(({ push }: any) => push.title);
	const sendToBoth = async (title: string) => {
		await post('/push-notification', { title, target: { channels: ['ops', 'sales'] } });
		return [await newest(team.ada), await newest(team.bob)] as const;
	};

	it('is undone by another, who did the same in the same moment', async () => {
		const title = team.unique('Both');
		const [adas, bobs] = await sendToBoth(title);
		const { undo } = await done(team.ada.call('POST', '/dismissals', { delivery_id: adas }));
		const own = await done(team.bob.call('POST', '/dismissals', { delivery_id: bobs }));
		expect(own['undo']).toBe(undo);
		await done(team.bob.call('POST', '/notifications/restore', { undo }));
		await done(team.stranger.call('POST', '/notifications/restore', { undo }));
		expect(await shownOn(team.ada)).not.toContain(title);
		expect(await shownOn(team.bob)).toContain(title);
	});

	it('takes it off the phones of others, by the wish to see things once', async () => {
		const title = team.unique('Both');
		const [, bobs] = await sendToBoth(title);
		await done(team.bob.call('PUT', '/preferences', { seen_once: true }));
		await done(team.bob.call('POST', '/notifications/clear', { up_to: bobs + 1_000 }));
		expect(await shownOn(team.ada)).toContain(title);
		expect((await team.ada.snapshot()).preferences).toMatchObject({ seen_once: true });
	});

	it('brings it back to others when a snooze is over', async () => {
		const [adas, bobs] = await sendToBoth(team.unique('Both'));
		await done(team.ada.call('POST', '/dismissals', { delivery_id: adas }));
		await done(team.bob.call('POST', '/snoozes', { delivery_id: bobs, ...until }));
		const before = await team.ada.inbox();
		team.server.clock.advance(60 * 60);
		expect(await settleDue(team.server.context, snoozes)).toBe(1);
		expect(await team.ada.inbox()).toEqual(before);
	});

	it('brings back to a person who has left what they snoozed', async () => {
		const { server, setChannel, unique } = team;
		const name = unique('Leaver');
		await done(team.olga.call('POST', '/users', { name }));
		const phone = await server.pairPhone({ user: name });
		await setChannel('sales', ['Bob', name]);
		await post('/push-notification', { title: 'Later' }, team.sales);
		await done(phone.call('POST', '/snoozes', { delivery_id: await newest(phone), ...until }));
		await setChannel('sales', ['Bob']);
		server.clock.advance(60 * 60);
		expect(await settleDue(server.context, snoozes)).toBe(0);
		expect(await shownOn(phone)).toEqual([]);
	});
});

describe('a phone is taken for another', () => {
	/** Pairing is limited. */
	const pair = (code: unknown, from: string) =>
		team.server.app.inject({
			method: 'POST',
			url: '/device/pair',
			remoteAddress: from,
			payload: { code, name: 'Phone', platform: 'web' },
		});
	const codeFor = async (user: string, by = team.olga) =>
		(await done(by.call('POST', '/devices/pair-code', { user })))['code'];

	it('by two that use one code at once', async () => {
		const code = await codeFor('Bob');
		const both = await Promise.all(['10.1.0.1', '10.1.0.2'].map((from) => pair(code, from)));
		expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 404]);
		const token = both.find(({ statusCode }) => statusCode === 200)?.json().token;
		await team.server.app.inject({
			method: 'DELETE',
			url: '/device',
			headers: { authorization: `Bearer ${token}` },
		});
	});

	it('by a code for somebody whose name another has since', async () => {
		const [old, later] = [team.unique('Eva'), team.unique('Eve')];
		await done(team.olga.call('POST', '/users', { name: old }));
		const code = await codeFor(old);
		await done(team.olga.call('PUT', `/users/${await team.idOf(old)}`, { name: later }));
		await done(team.olga.call('POST', '/users', { name: old }));
		expect((await pair(code, '10.1.0.3')).json().device.user).toEqual({
			id: await team.idOf(later),
			name: later,
		});
	});

	it('by a code of an owner who is none any more', async () => {
		const path = `/members/${team.max.memberId}`;
		await done(team.olga.call('PUT', path, { role: 'owner' }));
		const code = await codeFor('Ada', team.max);
		await done(team.olga.call('PUT', path, { role: 'member' }));
		expect((await pair(code, '10.1.0.4')).statusCode).toBe(404);
	});

	it('by the number of a tap that the other has reported', async () => {
		const target = { channels: ['ops', 'sales'] };
		const { question_id: id } = await post('/questions', { ...ASKED, target });
		const same = tap();
		await done(answerOn(team.ada, id, { ...same, choice: 'no' }));
		const { body } = await answerOn(team.bob, id, { ...same, choice: 'yes' });
		expect(body).toMatchObject({ outcome: 'refused', question: { answer: { choice: 'no' } } });
		expect(body['message']).toContain('Ada');
	});

	it('by its token after it was unpaired, whatever it does', async () => {
		const lost = await team.server.pairPhone({ user: 'Bob', name: 'Lost' });
		await post('/push-notification', { title: 'A', target: onPhone(lost) });
		const delivery_id = await newest(lost);
		await done(team.olga.call('DELETE', `/devices/${lost.id}`));
		await done(team.olga.call('POST', `/devices/${lost.id}/remove`));
		for (const [method, path, body] of [
			['GET', '/inbox'],
			['GET', '/events'],
			['POST', '/dismissals', { delivery_id }],
			['PUT', '/tokens', { push_token: 'again' }],
			['PUT', '/preferences', { seen_once: true }],
			['DELETE', '/'],
		] as const)
			expect([path, (await lost.call(method, path, body)).status]).toEqual([path, 401]);
	});
});
