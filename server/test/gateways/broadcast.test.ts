import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { openGateways } from '../../src/assembly.ts';
import { categoryOf, OTHER_CATEGORY } from '../../src/contract/categories.ts';
import { HOUR_MS } from '../../src/durations.ts';
import { bench, push, withOneIphone } from './support/one-iphone.ts';
import { deliveriesOf, type Iphone, pairIphone } from './support/phones.ts';

withOneIphone();

const APP = { layout: 'activity', channels: true };
const pairApp = (app: object = APP) => pairIphone(bench.server, { app });

/** Changes the stream, and waits for the outcomes on the phones. */
async function put(
	phones: readonly Iphone[],
	content_state: object,
	more: object = {},
	key = 'deploy',
) {
	const change = { content_state, ...more };
	const { status, body } = await bench.server.call('PUT', `/live-activity/stream/${key}`, change);
	expect(status).toBe(200);
	for (const phone of phones) await deliveriesOf(bench, phone);
	return body;
}

async function end(phones: readonly Iphone[]) {
	await bench.server.call('DELETE', '/live-activity/stream/deploy', {});
	for (const phone of phones) await deliveriesOf(bench, phone);
}

async function withChannels<T>(
	work: (channels: NonNullable<ReturnType<typeof openGateways>['apns']>['channels']) => Promise<T>,
): Promise<T> {
	const { database, now } = bench.server.context;
	const { apns } = openGateways(readConfig(bench.settings), database, now);
	try {
		return await work(apns!.channels);
	} finally {
		apns!.close();
	}
}

const progress = (percentage: number) => ({ type: 'progress', title: 'Backup', percentage });
const propsOf = (payload: any) => JSON.parse(payload.aps['content-state'].props);
const broadcasts = () => bench.apns.taken.filter(({ headers }) => headers['apns-channel-id']);

describe('a Live Activity on iPhones that take channels', () => {
	it('is tapped by the links that its layout has been given, and by no others', async () => {
		const phone = await pairApp();
		const { activity_id } = await put([phone], progress(1), {
			action: { title: 'Stop', type: 'open_url', url: 'https://example.com/' },
		});
		const { link_key, updated_at } = propsOf(bench.apns.takenFor(phone.startToken)[0]?.payload);
		const tap = async (more: object) => {
			const request = { tap_id: randomUUID(), activity_id, action: 'action', updated_at, ...more };
			return (await phone.call('POST', '/taps', request)).status;
		};
		expect(link_key).toMatch(/^[\w-]{16}$/);
		expect(await tap({ link_key: 'guessed' })).toBe(404);
		expect(await tap({ link_key })).toBe(200);
		// On a page, a button is no link.
		expect(await tap({})).toBe(200);
		const other = await put([phone], progress(1), {}, 'another');
		expect(await tap({ link_key, activity_id: other.activity_id })).toBe(404);
	});

	it('is started with a channel, and updated and ended by one request for all', async () => {
		const phones = [await pairApp(), await pairApp(), await pairApp()];
		const { activity_id: id } = await put(phones, progress(1));
		const [start] = bench.apns.takenFor(phones[0]!.startToken);
		const [channel] = bench.apns.channels.open.keys();
		expect(bench.apns.channels.managed).toEqual(['POST']);
		expect(start?.payload.aps).toMatchObject({
			event: 'start',
			'attributes-type': 'LiveActivityAttributes',
			attributes: { url: `beckon://activity/${id}` },
			'input-push-channel': channel,
			'content-state': { name: 'activity' },
		});
		expect(start?.payload.aps).not.toHaveProperty('input-push-token');
		expect(propsOf(start?.payload)).toMatchObject({
			activity_id: id,
			stream_key: 'deploy',
			...progress(1),
		});
		const updated = await put(phones, progress(2));
		expect(updated).toMatchObject({ devices_notified: 3, devices_queued: 1 });
		await end(phones);
		expect(broadcasts().map(({ payload }) => payload.aps.event)).toEqual(['update', 'end']);
		expect(broadcasts()[0]).toMatchObject({
			token: channel,
			headers: { 'apns-push-type': 'liveactivity', 'apns-priority': '5' },
		});
		expect(Object.keys(broadcasts()[0]?.payload)).toEqual(['aps']);
		for (const phone of phones) {
			const shown = bench.apns.shownTo(phone.startToken).map(({ payload }) => payload);
			expect(shown.map(({ aps }) => aps.event)).toEqual(['start', 'update', 'end']);
			expect(shown.map((payload) => propsOf(payload).percentage)).toEqual([1, 2, 2]);
			const states = (await deliveriesOf(bench, phone)).map(({ state }) => state);
			expect(states).toEqual(['handed_over', 'handed_over', 'handed_over']);
		}
		expect(bench.apns.refusals).toEqual([]);
	});

	it('says in its state that the inbox has the rest, if it is too large', async () => {
		const phone = await pairApp();
		await put([phone], { type: 'alert', title: 'Log', message: '"'.repeat(4_000) });
		await put([phone], { message: '\\'.repeat(4_000) });
		for (const { payload } of bench.apns.shownTo(phone.startToken)) {
			expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(4_096);
			expect(propsOf(payload)).toMatchObject({ truncated: true, title: 'Log' });
		}
		expect(broadcasts()).toHaveLength(1);
	});

	it('asks for attention on each phone that may be interrupted, and on no other', async () => {
		const [loud, muted, quiet] = [await pairApp(), await pairApp(), await pairApp()];
		const phones = [loud, muted, quiet];
		await bench.server.addChannel('ops', { devices: phones.map(({ id }) => id) });
		const target = { target: { channels: ['ops'] } };
		await put(phones, progress(1), target);
		const alert = { title: 'Almost', body: 'there' };
		await put(phones, progress(2), { alert, ...target });
		expect(broadcasts().at(-1)?.payload.aps).toMatchObject({ alert, 'relevance-score': 100 });
		expect(bench.apns.takenFor(loud.pushToken)).toEqual([]);

		await muted.call('PUT', '/channels/ops', { muted: true });
		const settings = {
			hours: null,
			time_zone: 'UTC',
			minimum_level: 'time-sensitive',
			questions: false,
		};
		expect((await quiet.call('PUT', '/quiet', settings)).status).toBe(200);
		await put(phones, progress(3), { alert, ...target });
		expect(broadcasts()).toHaveLength(2);
		expect(broadcasts().at(-1)?.payload.aps).not.toHaveProperty('alert');
		for (const phone of phones) {
			const last = bench.apns.shownTo(phone.startToken).at(-1);
			expect(propsOf(last?.payload).percentage).toBe(3);
		}
		expect(bench.apns.takenFor(loud.pushToken).map(({ payload }) => payload.aps)).toEqual([
			{ alert, sound: 'default' },
		]);
		expect(bench.apns.takenFor(muted.pushToken)).toEqual([]);
		expect(bench.apns.takenFor(quiet.pushToken)).toEqual([]);
	});

	it('is updated by tokens where an app registered them, and over the channel elsewhere', async () => {
		const [app, older] = [await pairApp(), await pairApp({ layout: 'activity' })];
		const { activity_id: id } = await put([app, older], progress(1));
		expect(bench.apns.takenFor(older.startToken)[0]?.payload.aps).toMatchObject({
			'input-push-token': 1,
			'content-state': { name: 'activity' },
		});
		const token = await older.registerActivity(id);
		await put([app, older], progress(2));
		expect(propsOf(bench.apns.takenFor(token)[0]?.payload).percentage).toBe(2);
		expect(broadcasts()).toHaveLength(1);
	});

	it('is broadcast again after Apple was busy', async () => {
		const phone = await pairApp();
		await put([phone], progress(1));
		bench.apns.failOnce({ status: 503, reason: 'ServiceUnavailable' });
		await put([phone], progress(2));
		expect(broadcasts()).toEqual([]);
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		expect(broadcasts()).toHaveLength(1);
	});

	it('waits for a token when its channel is gone, and when there is no room for one', async () => {
		const phone = await pairApp();
		const { activity_id: id } = await put([phone], progress(1));
		bench.apns.channels.open.clear();
		await put([phone], progress(2));
		const token = await phone.registerActivity(id);
		await deliveriesOf(bench, phone);
		expect(propsOf(bench.apns.takenFor(token)[0]?.payload).percentage).toBe(2);
		await end([phone]);

		bench.apns.channels.max = 0;
		await put([phone], progress(3));
		for (let tries = 0; tries < 3; tries += 1) {
			bench.server.clock.advance(60);
			await bench.server.context.outbox.runOnce();
		}
		expect(bench.apns.takenFor(phone.startToken).at(-1)?.payload.aps).toMatchObject({
			event: 'start',
			'input-push-token': 1,
		});
	});

	it('starts at once without a channel for an app that may have none', async () => {
		const phone = await pairApp();
		bench.apns.channels.isAllowed = false;
		await put([phone], progress(1));
		expect(bench.apns.takenFor(phone.startToken)[0]?.payload.aps['input-push-token']).toBe(1);
	});
});

describe('channels', () => {
	it('are deleted an hour after the end, and at once when Apple has no room', async () => {
		const phone = await pairApp();
		await put([phone], progress(1));
		await withChannels(async (channels) => {
			expect(await channels.deleteEnded()).toBe(0);
			await end([phone]);
			expect(await channels.deleteEnded()).toBe(0);
			bench.server.clock.advance(HOUR_MS / 1_000);
			expect(await channels.deleteEnded()).toBe(1);
			expect(await channels.deleteEnded()).toBe(0);
		});
		expect(bench.apns.channels.open.size).toBe(0);

		await put([phone], progress(1));
		await end([phone]);
		bench.apns.channels.max = 1;
		bench.server.clock.advance(1);
		await put([phone], progress(2));
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		const start = bench.apns.takenFor(phone.startToken).at(-1)?.payload.aps;
		expect(start['input-push-channel']).toBe([...bench.apns.channels.open.keys()][0]);
	});

	it('are deleted when their activity is no longer stored, and if Apple has deleted them', async () => {
		const phone = await pairApp();
		const { activity_id: id } = await put([phone], progress(1));
		const { database } = bench.server.context;
		await database.write(null, (db) => db.deleteFrom('history').where('id', '=', id).execute());
		bench.apns.channels.open.clear();
		await withChannels(async (channels) => {
			expect(await channels.count('production')).toBe(0);
			expect(await channels.deleteEnded()).toBe(1);
			expect(await channels.deleteEnded()).toBe(0);
		});
	});
});

describe('the buttons of a notification', () => {
	const actions = ['Approve', 'Decline'].map((title) => ({
		title,
		type: 'open_url',
		url: 'https://example.com',
	}));

	it.each([
		[
			'are the category of these titles, if the app has registered it',
			[categoryOf(actions)],
			categoryOf(actions),
		],
		['are in the app, if it has registered others', ['beckon-x'], OTHER_CATEGORY],
		['are added by the app itself, if it has registered none', [], 'beckon-actions'],
	])('%s', async (_, categories, category) => {
		const phone = await pairApp({ categories });
		expect((await push({ actions })).status).toBe(200);
		expect(bench.apns.takenFor(phone.pushToken)[0]?.payload.aps.category).toBe(category);
	});

	it.each([
		[
			'have a category without any, so that iOS reports a dismissal',
			[categoryOf([])],
			categoryOf([]),
		],
		['have no category without any, if the app has not registered it', ['beckon-x'], undefined],
	])('%s', async (_, categories, category) => {
		const phone = await pairApp({ categories });
		expect((await push({})).status).toBe(200);
		expect(bench.apns.takenFor(phone.pushToken)[0]?.payload.aps.category).toBe(category);
	});
});
