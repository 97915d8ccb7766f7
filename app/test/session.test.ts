/** The app's session against the real server. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { categoryOf } from '../../server/src/contract/categories.ts';
import { waitFor } from '../../server/test/support/wait.ts';
import { DeviceError } from '../../server/web/device/device-client.ts';
import { openBridge } from '../src/events.ts';
import { buttonId, categoriesFor, readResponse, Waiting } from '../src/responses.ts';
import type { Session } from '../src/session.ts';
import { uuid, uuidOf } from '../src/uuid.ts';
import { type Bench, startBench } from './support/bench.ts';
import { memory, network, sessionInMemory } from './support/memory.ts';

let bench: Bench;
let count = 0;
/** For tests that may share one: a server takes ten pairings a minute. */
let phone: Awaited<ReturnType<typeof pairPhone>>;

before(async () => {
	bench = await startBench();
	phone = await pairPhone();
});
after(() => bench.close());

const DISMISSED = 'com.apple.UNNotificationDismissActionIdentifier';
const refusedWith = (status: number) => (error: unknown) =>
	error instanceof DeviceError && error.status === status;

/** A paired phone with tokens of its own. */
async function pairPhone(parts: Parameters<typeof sessionInMemory>[0] = {}) {
	const { store = memory() } = parts;
	const session = sessionInMemory({ ...parts, store });
	await session.pair(bench.server.url, { code: await bench.pairCode(), name: 'iPhone' });
	const token = `ab${(count += 1).toString().padStart(2, '0')}`;
	const categories = categoriesFor(undefined).map(({ id }) => id);
	const app = { layout: 'activity', channels: true, categories };
	await session.register({ push_token: token, app });
	return { session, store, token };
}

const titled = (token: string, title: string) =>
	waitFor(`${title} at Apple`, () =>
		bench.apns.takenFor(token).find(({ payload }) => payload.aps.alert?.title === title),
	);

/** Sends a question, and gives the push that Apple got for the phone. */
async function ask(token: string, title: string, buttons = ['Approve', 'Decline']) {
	const button = buttons.map((name) => ({ title: name, type: 'webhook', url: bench.webhookUrl }));
	const actions = buttons.length > 0 ? { button } : {};
	await bench.run({ resource: 'pushNotification', operation: 'send', title, actions });
	return (await titled(token, title)).payload;
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
	await session.register({ app: { layout: 'activity', channels: true, categories } });
	const second = await ask(token, 'And when?', buttons);
	assert.equal(second.aps.category, categoryOf(buttons.map((title) => ({ title }))));
});

test('a dismissal takes the notification off the lock screen', async () => {
	const { session, token } = await pairPhone();
	for (const buttons of [['Approve'], []]) {
		const payload = await ask(token, `Read me, with ${buttons.length} buttons`, buttons);
		const known = categoriesFor(undefined).find(({ id }) => id === payload.aps.category);
		assert.deepEqual(known?.titles, buttons);
		const response = readResponse(DISMISSED, payload);
		if (response.kind !== 'dismissal') throw new Error(response.kind);
		await session.dismiss(response.dismissed);
	}
	const { notifications } = await session.catchUp();
	assert.deepEqual(notifications, []);
});

test('of several dismissals that start the app, every one is reported, once', async () => {
	const { session, token } = phone;
	const payloads: any[] = [];
	for (const title of ['First', 'Second', 'Third']) payloads.push(await ask(token, title));
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

test('a tap without a network is kept over a restart, and sent once', async () => {
	const [store, net] = [memory(), network()];
	const { session, token } = await pairPhone({ store, fetch: net.fetch });
	const payload = await ask(token, 'Offline?');
	net.isOn = false;
	await assert.rejects(tapFirst(session, payload), refusedWith(0));
	await assert.rejects(session.catchUp(), refusedWith(0));

	net.isOn = true;
	const restarted = sessionInMemory({ store, fetch: net.fetch });
	const { notifications } = await restarted.catchUp();
	assert.equal(notifications[0]?.push.answer?.button, 'Approve');
	assert.equal(store.texts.get('reports'), '[]');
});

test('two reports at once are both kept, before anything is sent', async () => {
	const [store, net] = [memory(), network()];
	const { session, token } = await pairPhone({ store, fetch: net.fetch });
	const [asked, read] = [await ask(token, 'Both?'), await ask(token, 'Read both')];
	net.isOn = false;
	let kept = 0;
	const onKept = () => {
		kept += 1;
		assert.ok(JSON.parse(store.texts.get('reports')!).length >= kept);
	};
	const delivery_id = asked.beckon.delivery_id;
	await Promise.allSettled([
		session.tap({ tap_id: randomUUID(), delivery_id, action: 0 }, onKept),
		session.dismiss({ delivery_id: read.beckon.delivery_id }, onKept),
	]);
	assert.equal(kept, 2);
	assert.equal(JSON.parse(store.texts.get('reports')!).length, 2);
	net.isOn = true;
	const { notifications } = await session.catchUp();
	assert.deepEqual(
		notifications.map(({ push }) => [push.title, push.answer?.button]),
		[['Both?', 'Approve']],
	);
});

test('a tap of which iOS tells twice has the same id', () => {
	const [first, other] = [uuidOf('Approve, at one'), uuidOf('Approve, at two')];
	assert.equal(uuidOf('Approve, at one'), first);
	assert.notEqual(first, other);
	assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/);
	assert.notEqual(uuid(), uuid());
});

test('a tap that comes too late says who was faster, and is not sent again', async () => {
	const [first, second] = [await pairPhone(), await pairPhone()];
	const payload = await ask(first.token, 'Who?');
	const other = (await titled(second.token, 'Who?')).payload;
	await tapFirst(first.session, payload);
	const { outcome, answer } = await tapFirst(second.session, other);
	assert.deepEqual({ outcome, button: answer?.button }, { outcome: 'refused', button: 'Approve' });
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
	assert.ok(
		!bench.apns
			.takenFor(token)
			.some(({ payload }) => payload.aps.alert?.title === 'To the new token'),
	);
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
	const fetch = async () => new Response(parts.shift());
	const bridge = openBridge(sessionInMemory({ store: phone.store, fetch }));
	for (const text of ['', 'data: é']) {
		const { id } = await bridge.openEvents('/events');
		assert.equal(await bridge.nextEvents(id), text);
	}
});

test('a wrong code and a wrong address say so', async () => {
	const session = sessionInMemory();
	const request = { code: 'AAAA1111', name: 'iPhone' };
	await assert.rejects(session.pair(bench.server.url, request), /This pairing code is wrong/);
	await assert.rejects(session.pair('http://127.0.0.1:9', request), /Could not reach the server/);
});
