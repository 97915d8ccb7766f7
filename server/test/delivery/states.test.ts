import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
	DELIVERY_STATES,
	type DeliveryState,
	noPhones,
	phonesInWords,
} from '../../src/contract/delivery-states.ts';
import type { Outcome } from '../../src/delivery/gateway.ts';
import { type Console, signedIn } from '../console/support/console.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { STATES } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let gateway: SteeredGateway;
let owner: Console;
beforeEach(async () => {
	gateway = new SteeredGateway();
	server = await startTestServer({ gateway: gateway.before });
	owner = await signedIn(server);
});
afterEach(() => server.close());

const push = () => server.call('POST', '/push-notification', { title: 'Order' });
const put = (percentage: number) =>
	server.call('PUT', '/live-activity/stream/deploy', {
		content_state: { ...STATES['progress'], percentage },
	});

/** The only delivery as the console shows it, once its attempt's outcome is recorded. */
async function shown() {
	await outcomesRecorded(server);
	const { body: history } = await owner.call('GET', '/history');
	const { body } = await owner.call('GET', `/history/${history['entries'][0].id}`);
	return body['lifecycle'].at(-1).deliveries[0];
}

async function acknowledgeAll(phone = server.phone) {
	const ids = (await phone.inbox()).map(({ id }) => id);
	await phone.call('POST', '/acknowledge', { deliveries: ids });
}

describe('the state of a delivery', () => {
	it('is stored, where nothing was asked to wake the phone', async () => {
		await push();
		expect(await shown()).toMatchObject({ state: 'stored', handed_over_at: null });
	});

	it('is handed over, with the time, when a push service took it', async () => {
		gateway.answer = () => ({ kind: 'handed_over' });
		await push();
		expect(await shown()).toMatchObject({
			state: 'handed_over',
			handed_over_at: new Date(server.clock.now).toISOString(),
			acknowledged_at: null,
		});
	});

	it('is failed, with the reason, when a push service refuses it', async () => {
		gateway.answer = () => ({ kind: 'refused', reason: 'The push service answered 400' });
		await push();
		expect(await shown()).toMatchObject({
			state: 'failed',
			error: 'The push service answered 400',
		});
	});

	it.each<[DeliveryState, Outcome | undefined]>([
		['stored', undefined],
		['handed_over', { kind: 'handed_over' }],
		['pending', { kind: 'retry', reason: 'busy' }],
	])('is received when the phone acknowledges what was %s', async (before, outcome) => {
		gateway.answer = () => outcome;
		await push();
		expect((await shown()).state).toBe(before);
		await acknowledgeAll();
		expect(await shown()).toMatchObject({
			state: 'received',
			error: null,
			acknowledged_at: new Date(server.clock.now).toISOString(),
		});
		server.clock.advance(60);
		expect(await server.context.outbox.runOnce()).toBe(0);
	});

	it('stays received when an attempt under way ends later', async () => {
		let end = (_outcome: Outcome) => {};
		gateway.answer = () => new Promise((resolve) => (end = resolve));
		await push();
		await acknowledgeAll();
		end({ kind: 'handed_over' });
		await server.context.outbox.stop();
		expect(await shown()).toMatchObject({ state: 'received', handed_over_at: null });
	});
});

describe('the phones of a history entry', () => {
	it('are counted once, in the state of the newest message that they were sent', async () => {
		const other = await server.pairPhone({ name: 'Other' });
		await server.pairPhone({ name: 'Third' });
		for (const percentage of [1, 2, 3]) {
			await put(percentage);
			await outcomesRecorded(server);
		}
		await acknowledgeAll();
		await put(4);
		await outcomesRecorded(server);
		await acknowledgeAll(other);
		const { body } = await owner.call('GET', '/history');
		expect(body['entries']).toMatchObject([
			{ messages: 4, phones: { ...noPhones(), received: 1, stored: 2 } },
		]);
	});

	it('are in the columns of the CSV', async () => {
		await push();
		await acknowledgeAll();
		const { body } = await owner.call('GET', '/history.csv');
		const [header, line] = (body as unknown as string).split('\r\n').map((row) => row.split(','));
		const cells = Object.keys(DELIVERY_STATES).map((state) => [
			state,
			line?.[header?.indexOf(state) ?? -1],
		]);
		expect(Object.fromEntries(cells)).toEqual({
			pending: '0',
			stored: '0',
			muted: '0',
			held_back: '0',
			handed_over: '0',
			received: '1',
			failed: '0',
			expired: '0',
			superseded: '0',
		});
	});

	it('are listed with the surest first, without states that no phone is in', () => {
		expect(phonesInWords({ ...noPhones(), stored: 187, received: 2 })).toBe(
			'2 received, 187 stored until opened',
		);
	});
});

describe('a test push', () => {
	const test = async () => (await owner.call('POST', `/devices/${server.phone.id}/test`)).body;

	it('says that it is stored, and why nothing wakes the phone', async () => {
		expect(await test()).toEqual({
			state: 'stored',
			message:
				'Stored until opened. Notifications are off on this phone. Open its page and turn them on.',
		});
	});

	it('says that the phone received it, when it acknowledges within a moment', async () => {
		const answer = test();
		const phone = server.phone;
		const stop = server.context.openPages.subscribe({
			deviceId: phone.id,
			accountId: server.account.id,
			notify: () => void acknowledgeAll(),
		});
		expect(await answer).toMatchObject({ state: 'received' });
		stop();
	});

	it.each<[DeliveryState, Outcome, string]>([
		[
			'handed_over',
			{ kind: 'handed_over' },
			'Handed to the push service. The phone has not acknowledged it yet.',
		],
		[
			'pending',
			{ kind: 'retry', reason: 'The push service answered 503' },
			'Waiting to be sent: The push service answered 503. The server will retry.',
		],
		[
			'failed',
			{ kind: 'refused', reason: 'The push service answered 400' },
			'Failed: The push service answered 400.',
		],
	])('says that it is %s', async (state, outcome, message) => {
		gateway.answer = () => outcome;
		expect(await test()).toEqual({ state, message });
	});
});

it('docs/api-decisions.md names every state, in the words that people read', () => {
	const file = new URL('../../../docs/api-decisions.md', import.meta.url);
	const rows = readFileSync(file, 'utf8').matchAll(/^\| `(\w+)` +\| ([^|]+?) +\|/gm);
	const named = new Map([...rows].map(([, state, words]) => [state, words]));
	for (const [state, words] of Object.entries(DELIVERY_STATES))
		expect([state, named.get(state)]).toEqual([state, words]);
});
