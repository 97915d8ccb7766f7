import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { outcomesRecorded } from '../support/gateways.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities, type TestPhone } from '../support/server.ts';
import { answerOn, ASKED, done, shows, startTeam, type Team } from './support/team.ts';

/** Attempts to hand on, by a Live Activity, what was for others: by a key of two channels, and by the end of a stream. */

let team: Team;
/** A key that may send to both channels; it cannot read what others send there. */
let both: string;
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver((_request, response) =>
		response.setHeader('content-type', 'application/json').end('{"message":"Paid 5,000"}'),
	);
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
	both = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
});
beforeEach(() => team.setChannel('ops', ['Ada']));
afterEach(async () => {
	for (const phone of [team.ada, team.bob]) await endActivities({ ...team.server, phone });
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const by = (key: string) => ({ key });
const newPath = () => `/live-activity/stream/${team.unique('stream').replace(' ', '-')}`;
const keyOf = (path: string) => path.split('/').at(-1)!;
const SECRET = /Salary|5,000/;
const secret = { ...shows('Salary').content_state, subtitle: '€ 5,000' };
/** Where the inboxes ended before the attempt. */
const ends = new Map<TestPhone, number>();
beforeEach(async () => {
	for (const phone of [team.ada, team.bob]) ends.set(phone, (await phone.inbox()).length);
});
const toldTo = async (phone: TestPhone) =>
	JSON.stringify((await phone.inbox()).slice(ends.get(phone)));

describe('what another key sent to one channel reaches the other', () => {
	/** What the key of `sales` shows there. */
	async function showToSales(path = newPath()) {
		await call('PUT', path, { content_state: secret }, by(team.sales));
		return path;
	}
	const toOps = { content_state: {}, channels: ['ops'] };

	const WAYS: Record<string, (path: string) => Promise<unknown>> = {
		'at once': async () => undefined,
		'after a change of its text': (path) =>
			call('PUT', path, { content_state: { message: 'A' }, channels: ['sales'] }, by(both)),
		'after a change of its type, which rotates it': (path) =>
			call(
				'PUT',
				path,
				{ content_state: { type: 'value', value: 1 }, channels: ['sales'] },
				by(both),
			),
		'after it grew old, which rotates it': async (path) => {
			team.server.clock.advance(8 * 60 * 60 - 60);
			await call('PUT', path, { content_state: { message: 'A' }, channels: ['sales'] }, by(both));
		},
		'while it is paused': (path) => done(team.olga.call('POST', `/streams/${keyOf(path)}/pause`)),
		'after it was paused, and resumed': async (path) => {
			await done(team.olga.call('POST', `/streams/${keyOf(path)}/pause`));
			await done(team.olga.call('POST', `/streams/${keyOf(path)}/resume`));
		},
	};

	it.each(Object.keys(WAYS))('by a stream that a key of both sends on, %s', async (how) => {
		const path = await showToSales();
		await WAYS[how]!(path);
		await team.server.call('PUT', path, toOps, by(both));
		if (how === 'while it is paused')
			await team.olga.call('POST', `/streams/${keyOf(path)}/resume`);
		const told = await toldTo(team.ada);
		await call('DELETE', path);
		expect(told).not.toMatch(SECRET);
	});

	it('by a stream that the key of both has begun before', async () => {
		const path = newPath();
		await call('PUT', path, { ...shows('Mine'), channels: ['sales'] }, by(both));
		await showToSales(path);
		await team.server.call('PUT', path, toOps, by(both));
		expect(await toldTo(team.ada)).not.toMatch(SECRET);
	});
});

describe('who has left a channel still gets', () => {
	const ENDS: Record<string, (path: string, id: string) => Promise<unknown>> = {
		'by its key': (path) => call('DELETE', path, { content_state: secret }),
		'by the key of the channel': (path) =>
			call('DELETE', path, { content_state: secret }, by(team.ops)),
		'by the id of its activity': (_path, activity_id) =>
			call('POST', '/live-activity/end', { activity_id, content_state: secret }),
	};

	it.each(Object.keys(ENDS))('what a stream says as it ends, %s', async (how) => {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const path = newPath();
		const { activity_id: id } = await call('PUT', path, { ...shows('Old'), channels: ['ops'] });
		await team.setChannel('ops', ['Bob']);
		await ENDS[how]!(path, id);
		expect(await toldTo(team.bob)).toMatch(SECRET);
		expect(await toldTo(team.ada)).not.toMatch(SECRET);
	});

	const asked = (more: object) =>
		call('POST', '/questions', { ...ASKED, text: {}, target: { channels: ['ops'] }, ...more });
	const onStream = (path: string, keep: boolean) =>
		asked({ live_activity: { stream_key: keyOf(path), keep } });
	const tapOn = (phone: TestPhone, where: object) =>
		done(phone.call('POST', '/taps', { tap_id: randomUUID(), action: 0, ...where }));
	const webhook = () => ({ title: 'Pay', type: 'webhook', url: receiver.url });

	const ROTATED = 'a question that a stream shows, and keeps, and that has rotated since';
	/** What Bob answers once Ada has left: begun while both are in the channel. */
	const ANSWERED: Record<string, () => Promise<() => Promise<unknown>>> = {
		'a question': async () => {
			const { question_id: id } = await asked({});
			return () => done(answerOn(team.bob, id, { text: 'For 5,000' }));
		},
		'a question that a stream shows': async () => {
			const { question_id: id } = await onStream(newPath(), false);
			return () => done(answerOn(team.bob, id, { text: 'For 5,000' }));
		},
		'a question that a stream shows, and keeps': async () => {
			const { question_id: id } = await onStream(newPath(), true);
			return () => done(answerOn(team.bob, id, { text: 'For 5,000' }));
		},
		[ROTATED]: async () => {
			const path = newPath();
			const { question_id: id } = await onStream(path, true);
			team.server.clock.advance(8 * 60 * 60 - 60);
			const again = { content_state: {}, channels: ['ops'] };
			expect(await call('PUT', path, again)).toMatchObject({ operation: 'rotated' });
			return () => done(answerOn(team.bob, id, { text: 'For 5,000' }));
		},
		'a button of a push': async () => {
			const actions = [webhook()];
			await call('POST', '/push-notification', {
				title: 'A',
				actions,
				target: { channels: ['ops'] },
			});
			const { id: delivery_id } = (await team.bob.inbox()).at(-1);
			return () => tapOn(team.bob, { delivery_id });
		},
		'a button of a stream': async () => {
			const body = { ...shows('A'), action: webhook(), channels: ['ops'] };
			const { activity_id } = await call('PUT', newPath(), body);
			return () => tapOn(team.bob, { activity_id, action: 'action' });
		},
		'a button that a stream’s end has brought': async () => {
			const path = newPath();
			const { activity_id } = await call('PUT', path, { ...shows('A'), channels: ['ops'] });
			await call('DELETE', path, { action: webhook() });
			return () => tapOn(team.bob, { activity_id, action: 'action' });
		},
	};

	/** @param kinds what Ada's phone gets of it */
	const answeredWithout = async (what: string, kinds: RegExp) => {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const answer = await ANSWERED[what]!();
		await team.setChannel('ops', ['Bob']);
		await answer();
		await outcomesRecorded(team.server);
		expect(await toldTo(team.bob)).toMatch(SECRET);
		const hers = (await team.ada.inbox()).slice(ends.get(team.ada));
		expect(JSON.stringify(hers.filter(({ kind }) => kinds.test(kind)))).not.toMatch(SECRET);
	};

	it.each(['a question that a stream shows, and keeps', 'a button of a stream'])(
		'what another answers to %s, on its card',
		(what) => answeredWithout(what, /^activity/),
	);

	it.each(['a question that a stream shows', 'a button that a stream’s end has brought'])(
		'what another answers to %s, on its card',
		(what) => answeredWithout(what, /^activity/),
	);

	it('what another answers to a kept question whose stream has rotated, on its card', () =>
		answeredWithout(ROTATED, /^activity/));

	// Low: a phone that shows a question, or a push, learns how it ended, with the words that another typed or a webhook
	// said. Fix: `phonesShowing` (store/phones/shown-pushes.ts) for those who are still reached; the others get the end
	// without `answer`.
	it.failing.each(['a question', 'a button of a push'])('what another answers to %s', (what) =>
		answeredWithout(what, /./),
	);
});
