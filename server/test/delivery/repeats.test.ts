import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { changeChannel } from '../../src/service/keys-and-channels/channels.ts';
import { repeats } from '../../src/service/sending/repeats.ts';
import { settleDue } from '../support/later.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

const MINUTE = 60;

describe('a push that is repeated until somebody reacts', () => {
	let server: TestServer;
	let second: TestPhone;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		second = await server.pairPhone();
	});
	afterEach(() => server.close());

	const send = async (
		repeat: object = { every_minutes: 5, times: 2 },
		push: object = {},
	): Promise<string> => {
		const { status, body } = await server.call('POST', '/push-notification/repeated', {
			push: { title: 'Water in the cellar', ...push },
			repeat,
		});
		expect([status, body['message']]).toEqual([200, undefined]);
		return body['repeat_id'];
	};

	const pass = async (minutes: number) => {
		server.clock.advance(minutes * MINUTE);
		return settleDue(server.context, repeats);
	};

	const stop = (id: string, key?: string) =>
		server.call('DELETE', `/push-notification/repeated/${id}`, undefined, { ...(key && { key }) });

	const shownOn = async (phone: TestPhone) =>
		(await phone.snapshot()).notifications.map(({ id }: { id: number }) => id);

	it('comes again on every phone, as often as asked', async () => {
		await send();
		expect(await pass(4)).toBe(0);
		expect(await pass(1)).toBe(2);
		expect(await pass(4)).toBe(0);
		expect(await pass(1)).toBe(2);
		expect(await pass(60)).toBe(0);
		for (const phone of [server.phone, second]) {
			const inbox = await phone.inbox();
			expect(inbox.map(({ push }) => push.title)).toEqual(Array(3).fill('Water in the cellar'));
		}
	});

	it('shows on a phone only the last of its deliveries', async () => {
		await send();
		await pass(5);
		const inbox = await second.inbox();
		expect(await shownOn(second)).toEqual([inbox.at(-1).id]);
		const { body } = await second.call('GET', '/history');
		expect(body['deliveries']).toHaveLength(1);
	});

	it.each<[string, (phone: TestPhone, id: string) => Promise<unknown>]>([
		[
			'a tap on a button',
			async (phone) => {
				const [{ id }] = (await phone.inbox()).slice(-1);
				const tap = { tap_id: randomUUID(), delivery_id: id, action: 0 };
				return (await phone.call('POST', '/taps', tap)).status;
			},
		],
		[
			'a dismissal',
			async (phone) => {
				const [{ id }] = (await phone.inbox()).slice(-1);
				return (await phone.call('POST', '/dismissals', { delivery_id: id })).status;
			},
		],
		[
			'a dismissal of an earlier delivery',
			async (phone) => {
				const [{ id }] = await phone.inbox();
				return (await phone.call('POST', '/dismissals', { delivery_id: id })).status;
			},
		],
		[
			'clearing all',
			async (phone) => {
				const up_to = (await phone.inbox()).at(-1).id;
				return (await phone.call('POST', '/notifications/clear', { up_to })).status;
			},
		],
		['the request that stops it', async (_phone, id) => (await stop(id)).status],
	])('ends on all phones with %s', async (_what, react) => {
		const actions = [{ title: 'On my way', type: 'open_url', url: 'https://example.com' }];
		const id = await send({ every_minutes: 1, times: 20 }, { actions });
		expect(await pass(1)).toBe(2);
		expect(await react(second, id)).toBe(200);
		expect(await pass(1)).toBe(0);
		expect(await pass(60)).toBe(0);
	});

	it('says how it ended when it is stopped', async () => {
		const outcome = async (id: string) => (await stop(id)).body['outcome'];
		const stopped = await send();
		expect([await outcome(stopped), await outcome(stopped)]).toEqual(['stopped', 'stopped']);
		const reacted = await send();
		await second.call('POST', '/dismissals', { delivery_id: (await second.inbox()).at(-1).id });
		expect(await outcome(reacted)).toBe('reacted');
		const finished = await send({ every_minutes: 1, times: 1 });
		await pass(1);
		expect(await outcome(finished)).toBe('finished');
	});

	it('is one send of the account, and one request of its allowance', async () => {
		await send({ every_minutes: 1, times: 3 });
		for (let minute = 0; minute < 3; minute += 1) await pass(1);
		const sends = await server.context.database.read
			.selectFrom('usage')
			.select('sends')
			.where('account_id', '=', server.account.id)
			.execute();
		expect(sends).toEqual([{ sends: 1 }]);
	});

	it('does not interrupt a phone that has muted the channel meanwhile', async () => {
		await server.addChannel('cellar', { devices: [second.id] });
		await send({ every_minutes: 1, times: 2 }, { target: { channels: ['cellar'] } });
		await pass(1);
		await second.call('PUT', '/channels/cellar', { muted: true });
		await pass(1);
		expect((await second.inbox()).map(({ muted }) => muted)).toEqual([undefined, undefined, true]);
	});

	it.each([
		['time-sensitive', true],
		['critical', undefined],
	])('comes to a quiet phone, if %s, held back: %s', async (level, held) => {
		await second.call('PUT', '/quiet/mute', { mute: 'hour', time_zone: 'Europe/Berlin' });
		await send({ every_minutes: 1, times: 1 }, { interruption_level: level });
		await pass(1);
		expect((await second.inbox()).map((delivery) => delivery.held)).toEqual([held, held]);
	});

	it('ends once its key is revoked, and no other with it', async () => {
		const key = await server.addKey(server.account.id);
		const { body } = await server.call(
			'POST',
			'/push-notification/repeated',
			{ push: { title: 'x' }, repeat: { every_minutes: 1, times: 3 } },
			{ key },
		);
		await send({ every_minutes: 1, times: 3 });
		expect(await pass(1)).toBe(4);
		await server.revokeKey(server.account.id, key);
		expect(await pass(1)).toBe(2);
		expect((await stop(body['repeat_id'])).body['outcome']).toBe('stopped');
	});

	it('leaves out a phone that its channels no longer reach', async () => {
		await server.addChannel('cellar', { devices: [server.phone.id, second.id] });
		await send({ every_minutes: 1, times: 3 }, { target: { channels: ['cellar'] } });
		expect(await pass(1)).toBe(2);
		await changeChannel(server.context, server.account.id, 'cellar', { devices: [second.id] });
		expect(await pass(1)).toBe(1);
		expect(await server.phone.inbox()).toHaveLength(2);
	});

	it('leaves out a phone that was removed meanwhile', async () => {
		await send();
		await second.call('DELETE', '/');
		expect(await pass(5)).toBe(1);
	});

	it('comes once when several rounds look at the same moment', async () => {
		await send({ every_minutes: 1, times: 20 });
		server.clock.advance(MINUTE);
		const counts = await Promise.all(
			Array.from({ length: 5 }, () => settleDue(server.context, repeats)),
		);
		expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
	});

	it('does not make up for what was missed while no server ran', async () => {
		await send({ every_minutes: 1, times: 20 });
		expect(await pass(10)).toBe(2);
		expect(await settleDue(server.context, repeats)).toBe(0);
		expect(await pass(1)).toBe(2);
	});

	it.each<[object, object, string]>([
		[
			{ every_minutes: 0, times: 1 },
			{},
			'repeat.every_minutes must be a whole number from 1 to 60.',
		],
		[
			{ every_minutes: 61, times: 1 },
			{},
			'repeat.every_minutes must be a whole number from 1 to 60.',
		],
		[
			{ every_minutes: 1.5, times: 1 },
			{},
			'repeat.every_minutes must be a whole number from 1 to 60.',
		],
		[{ every_minutes: 1, times: 21 }, {}, 'repeat.times must be a whole number from 1 to 20.'],
		[{ every_minutes: 1 }, {}, 'repeat.times is required.'],
		[
			{ every_minutes: 1, times: 1, until: 'x' },
			{},
			'repeat.until is not a recognized field; remove it.',
		],
		[
			{ every_minutes: 1, times: 1 },
			{ titel: 'x' },
			'push.titel is not a recognized field; remove it.',
		],
		[
			{ every_minutes: 1, times: 1 },
			{ target: { channels: ['none'] } },
			'push.target.channels does not match any channel of this account: none. Create it, or correct the slug.',
		],
		[
			{ every_minutes: 1, times: 1 },
			{ actions: [{ title: 'A', type: 'webhook', url: 'http://10.0.0.1/' }] },
			'push.actions[0].url must be an https URL (BECKON_WEBHOOK_ALLOW_PRIVATE=true on the server allows http).',
		],
	])('refuses %j of %j', async (repeat, push, message) => {
		const { status, body } = await server.call('POST', '/push-notification/repeated', {
			push: { title: 'x', ...push },
			repeat,
		});
		expect([status, body['message']]).toEqual([400, message]);
	});

	it('is stopped only by a key that reaches all of its phones', async () => {
		await server.addChannel('cellar', { devices: [second.id] });
		await server.addChannel('attic', { devices: [second.id] });
		const key = await server.addKey(server.account.id, ['cellar']);
		expect((await stop(await send(), key)).status).toBe(403);
		const inCellar = await send(undefined, { target: { channels: ['cellar'] } });
		expect((await stop(inCellar, key)).status).toBe(200);
		const other = await server.addAccount();
		expect((await stop(inCellar, other.key)).status).toBe(404);
		expect((await stop('x'.repeat(32))).status).toBe(404);
		expect((await stop('x')).status).toBe(400);
	});
});

it('a repeated push is taken up by another server, and by one of two', async () => {
	const first = await startTestServer({ settings: UNLIMITED });
	await first.call('POST', '/push-notification/repeated', {
		push: { title: 'Again' },
		repeat: { every_minutes: 1, times: 3 },
	});
	const next = await startTestServer({ settings: UNLIMITED, beside: first });
	first.clock.advance(MINUTE);
	expect(await settleDue(next.context, repeats)).toBe(1);
	first.clock.advance(MINUTE);
	const counts = await Promise.all([first, next].map(({ context }) => settleDue(context, repeats)));
	expect(counts.sort()).toEqual([0, 1]);
	await next.close();
	await first.close();
});
