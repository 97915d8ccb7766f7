/** The app's session against the real server. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { categoryOf } from '../../server/src/contract/categories.ts';
import { DeviceError } from '../../server/web/device/device-client.ts';
import { openBridge } from '../src/events.ts';
import { buttonId, categoriesFor, DISMISSED, readResponse, Waiting } from '../src/responses.ts';
import type { Session } from '../src/session.ts';
import { type Bench, FIRST_START, startBench } from './support/bench.ts';
import { Memory, Network, sessionInMemory } from './support/memory.ts';

let bench: Bench;
/** For tests that may share one: a server takes ten pairings a minute. */
let phone: Awaited<ReturnType<typeof pairPhone>>;

before(async () => {
	bench = await startBench();
	phone = await pairPhone();
});
after(() => bench[Symbol.asyncDispose]());

const refusedWith = (status: number) => (error: unknown) =>
	error instanceof DeviceError && error.status === status;

/** A paired phone with tokens of its own. */
async function pairPhone(parts: Parameters<typeof sessionInMemory>[0] = {}) {
	const session = sessionInMemory(parts);
	const token = randomBytes(4).toString('hex');
	await bench.pair(session, { push_token: token, app: FIRST_START });
	return { session, token };
}

/** Sends a question. @returns the push that Apple received for the phone */
async function ask(token: string, title: string, buttons = ['Approve', 'Decline']) {
	const button = buttons.map((name) => ({ title: name, type: 'webhook', url: bench.webhookUrl }));
	const actions = buttons.length > 0 ? { button } : {};
	await bench.run({ resource: 'pushNotification', operation: 'send', title, actions });
	return bench.notified(token, title);
}

async function tapFirst(session: Session, payload: any) {
	const response = readResponse(buttonId(0), payload);
	if (response.kind !== 'tap') throw new Error(response.kind);
	const { deliveryId, action } = response;
	return session.tap({ tap_id: randomUUID(), delivery_id: deliveryId, action });
}

test('pairs, receives a question with its buttons, answers it, and shows the answer', async () => {
	const { session, token } = phone;
	const payload = await ask(token, 'Deploy?');
	assert.equal(payload.aps.category, categoryOf([{ title: 'Approve' }, { title: 'Decline' }]));
	const { outcome, message } = await tapFirst(session, payload);
	assert.deepEqual({ outcome, message }, { outcome: 'called', message: 'The door is open' });
	const { notifications } = await session.catchUp();
	assert.equal(notifications[0]?.push.answer?.button, 'Approve');
});

test('buttons that the app does not know open it, until it has registered them', async () => {
	const { session, token } = phone;
	const buttons = ['Now', 'Tonight', 'Never'];
	const first = await ask(token, 'When?', buttons);
	assert.equal(first.aps.category, 'beckon-other');
	assert.deepEqual(readResponse(buttonId(0), first), { kind: 'open' });
	const categories = categoriesFor(await session.catchUp()).map(({ id }) => id);
	await session.register({ app: { ...FIRST_START, categories } });
	const second = await ask(token, 'And when?', buttons);
	assert.equal(second.aps.category, categoryOf(buttons.map((title) => ({ title }))));
});

test('of several dismissals that start the app, every one is reported, once', async () => {
	const { session, token } = phone;
	const payloads: any[] = [];
	for (const [title, buttons] of Object.entries({ First: ['Approve'], Second: [], Third: [] })) {
		const payload = await ask(token, title, buttons);
		payloads.push(payload);
		const known = categoriesFor(undefined).find(({ id }) => id === payload.aps.category);
		assert.deepEqual(known?.titles, buttons);
	}
	const early = new Waiting<unknown>();
	for (const payload of payloads.slice(0, 2)) early.add(payload);
	const reported: Array<Promise<void>> = [];
	const stop = early.follow((payload) => {
		const response = readResponse(DISMISSED, payload as never);
		if (response.kind === 'dismissal') reported.push(session.dismiss(response.dismissed));
	});
	early.add(payloads[2]);
	await Promise.all(reported);
	assert.equal(reported.length, 3);
	const left = (await session.catchUp()).notifications.map(({ id }) => id);
	for (const { beckon } of payloads) assert.ok(!left.includes(beckon.delivery_id));
	stop();
	early.add('later');
	early.follow((payload) => assert.equal(payload, 'later'));
});

test('reports without a network are kept before anything is sent, over a restart, and sent once', async () => {
	const [store, net] = [new Memory(), new Network()];
	const { session, token } = await pairPhone({ store, fetch: net.fetch });
	const [asked, read] = [await ask(token, 'Both?'), await ask(token, 'Read both')];
	net.isOn = false;
	let kept = 0;
	const onKept = () => {
		kept += 1;
		assert.ok(JSON.parse(store.texts.get('reports')!).length >= kept);
	};
	const delivery_id = asked.beckon.delivery_id;
	const [tapped] = await Promise.allSettled([
		session.tap({ tap_id: randomUUID(), delivery_id, action: 0 }, onKept),
		session.dismiss({ delivery_id: read.beckon.delivery_id }, onKept),
	]);
	assert.ok(tapped.status === 'rejected' && refusedWith(0)(tapped.reason));
	await assert.rejects(session.catchUp(), refusedWith(0));
	assert.equal(kept, 2);
	assert.equal(JSON.parse(store.texts.get('reports')!).length, 2);

	net.isOn = true;
	const restarted = sessionInMemory({ store, fetch: net.fetch });
	const { notifications } = await restarted.catchUp();
	assert.deepEqual(
		notifications.map(({ push }) => [push.title, push.answer?.button]),
		[['Both?', 'Approve']],
	);
	assert.equal(store.texts.get('reports'), '[]');
});

test('a new token replaces the old one, and the same is sent once', async () => {
	const sent: string[] = [];
	const counting: typeof fetch = (url, init) => {
		sent.push(`${init?.method} ${new URL(String(url)).pathname}`);
		return fetch(url, init);
	};
	const { session, token } = await pairPhone({ fetch: counting });
	await session.register({ push_token: token });
	await session.register({ push_token: 'ff01' });
	await session.register({ push_token: 'ff01' });
	assert.equal(sent.filter((one) => one === 'PUT /device/tokens').length, 2);
	await ask('ff01', 'To the new token');
	assert.deepEqual(bench.apns.takenFor(token), []);
});

test('a phone that is disconnected forgets its token, whoever disconnected it', async () => {
	let told = 0;
	const { session } = await pairPhone({ onDisconnected: () => (told += 1) });
	await session.fetch('/', { method: 'DELETE' });
	assert.equal(told, 0);
	await assert.rejects(session.catchUp(), refusedWith(401));
	assert.equal(told, 1);
	assert.equal(await session.pairing(), undefined);
});

test('an event stream that ends within a letter leaves the next as it is', async () => {
	const parts = [Uint8Array.of(0xc3), new TextEncoder().encode('data: é')];
	const store = new Memory();
	await store.set('pairing', JSON.stringify(await phone.session.pairing()));
	const fetch = async () => new Response(parts.shift());
	const bridge = openBridge(sessionInMemory({ store, fetch }));
	for (const text of ['', 'data: é']) {
		const { id } = await bridge.send('/events', {});
		assert.equal(await bridge.next(id), text);
	}
});
