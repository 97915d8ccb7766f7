import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endActivities } from '../support/server.ts';
import { ASKED, done, shows, startTeam, type Team } from './support/team.ts';

/** A card that a phone still shows has been changed: a tap on it must not approve what came since. */

let team: Team;
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver();
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterEach(async () => {
	await endActivities({ ...team.server, phone: team.ada });
	team.server.clock.advance(60);
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const toOps = { target: { channels: ['ops'] } };
const streamKey = () => team.unique('stream').replace(' ', '-');
/** The card as the phone shows it, until it hears of a change. */
const card = async (key: string) =>
	(await team.ada.snapshot()).activities.find((one: any) => one.stream_key === key);
const tap = (shown: any, action = 'action') =>
	team.ada.call('POST', '/taps', {
		tap_id: randomUUID(),
		activity_id: shown.activity_id,
		action,
		updated_at: shown.updated_at,
	});
const later = () => team.server.clock.advance(1);

describe('a tap on a card of before approves', () => {
	const ask = (key: string, title: string) =>
		call('POST', '/questions', {
			...ASKED,
			title,
			...toOps,
			live_activity: { stream_key: key, keep: true },
		});
	const statusOf = async (id: string) => (await call('GET', `/questions/${id}`))['status'];

	it.each([
		['which is still open', async () => undefined],
		['which was withdrawn', async (id: string) => call('DELETE', `/questions/${id}`)],
	])('the next question, instead of the one that it shows, %s', async (_what, end) => {
		const key = streamKey();
		const { question_id: first } = await ask(key, 'To the test system?');
		const shown = await card(key);
		later();
		await end(first);
		const { question_id: second } = await ask(key, 'To production?');
		expect((await tap(shown)).status).toBe(404);
		expect(await statusOf(second)).toBe('open');
		// On the card of now, it counts.
		expect((await tap(await card(key))).body['outcome']).toBe('called');
		expect(await statusOf(second)).toBe('answered');
		if ((await statusOf(first)) === 'open') await call('DELETE', `/questions/${first}`);
	});

	it('a question that has come to a card without one', async () => {
		const key = streamKey();
		const action = { title: 'Approve', type: 'webhook', url: receiver.url };
		await call('PUT', `/live-activity/stream/${key}`, {
			...shows('Build'),
			action,
			channels: ['ops'],
		});
		const shown = await card(key);
		later();
		const { question_id: id } = await ask(key, 'Deploy?');
		for (const name of ['action', 'secondary_action'])
			expect((await tap(shown, name)).status).toBe(404);
		expect(await statusOf(id)).toBe('open');
		expect(receiver.received).toEqual([]);
		await call('DELETE', `/questions/${id}`);
	});

	it('another order, by a button of the same words', async () => {
		const key = streamKey();
		const order = (number: number) =>
			call('PUT', `/live-activity/stream/${key}`, {
				...shows(`Order ${number}`),
				action: { title: 'Accept', type: 'webhook', url: receiver.url, body: { number } },
				channels: ['ops'],
			});
		await order(7);
		const shown = await card(key);
		later();
		await order(8);
		expect((await tap(shown)).status).toBe(404);
		expect(receiver.received).toEqual([]);
	});

	it('but the same button beside another text counts, and a link opens', async () => {
		const key = streamKey();
		const path = `/live-activity/stream/${key}`;
		const link = { title: 'Log', type: 'open_url', url: 'https://example.com/1' };
		const action = { title: 'Stop', type: 'webhook', url: receiver.url };
		const sent = { action, secondary_action: link, channels: ['ops'] };
		await call('PUT', path, { ...shows('10 %'), ...sent });
		const shown = await card(key);
		later();
		await call('PUT', path, { ...shows('20 %'), channels: ['ops'] });
		later();
		await call('PUT', path, { ...shows('30 %'), ...sent });
		expect((await tap(shown)).body['outcome']).toBe('called');
		later();
		await call('PUT', path, {
			...shows('40 %'),
			secondary_action: { ...link, url: 'https://example.com/2' },
			channels: ['ops'],
		});
		expect((await tap(shown, 'secondary_action')).body['outcome']).toBe('open');
	});
});
