/** Pairing: the scan of a QR code, whose camera is simulated here, and what follows on the real server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createScanning } from '../src/scanning.ts';
import { type Bench, startBench } from './support/bench.ts';
import { Memory, sessionInMemory } from './support/memory.ts';

let bench: Bench;
before(async () => {
	bench = await startBench();
});
after(() => bench[Symbol.asyncDispose]());

function phone(isPermitted: boolean) {
	const steps: string[] = [];
	const scanning = createScanning({
		permit: async () => (steps.push('ask'), isPermitted),
		show: (isOpen) => void steps.push(isOpen ? 'open' : 'close'),
	});
	return { scanning, steps };
}

/** Waits for what an answered question leads to. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('asks for the camera before it opens it, and closes it with the first code', async () => {
	const { scanning, steps } = phone(true);
	const scanned = scanning.scan();
	await settle();
	scanning.end('first');
	// The camera sees a code many times.
	scanning.end('second');
	assert.deepEqual(await scanned, { text: 'first' });
	assert.deepEqual(steps, ['ask', 'open', 'close']);
});

test('says what to do without the camera', async () => {
	const { scanning, steps } = phone(false);
	assert.match((await scanning.scan()).problem!, /Allow it in iOS’s settings/);
	assert.deepEqual(steps, ['ask']);
});

test('ends when it is closed, and when another one begins', async () => {
	const { scanning, steps } = phone(true);
	const closed = scanning.scan();
	await settle();
	scanning.end();
	assert.deepEqual(await closed, {});
	const replaced = scanning.scan();
	await settle();
	const both = [scanning.scan(), scanning.scan()];
	await settle();
	scanning.end('last');
	assert.deepEqual(await Promise.all([replaced, ...both]), [{}, {}, { text: 'last' }]);
	assert.equal(steps.filter((step) => step === 'open').length, 4);
	assert.equal(steps.filter((step) => step === 'close').length, 4);
});

test('a new pairing ends the earlier one on its server too', async () => {
	const session = sessionInMemory();
	const { origin, token } = await bench.pair(session);
	const snapshot = () =>
		fetch(`${origin}/device/snapshot`, { headers: { authorization: `Bearer ${token}` } });
	assert.equal((await snapshot()).status, 200);
	await bench.pair(session);
	assert.equal((await snapshot()).status, 401);
	await session.catchUp();
});

test('a pairing needs its own server, and not that of the earlier one', async () => {
	const store = new Memory();
	const gone = { id: 'gone', origin: 'http://127.0.0.1:9', token: 'none' };
	await store.set('pairing', JSON.stringify(gone));
	const session = sessionInMemory({ store });
	const request = { code: 'AAAA1111', name: 'iPhone' };
	await assert.rejects(session.pair(gone.origin, request), /Could not reach the server/);
	await bench.pair(session);
	await session.catchUp();
});

test('tokens that the server has lost are registered again at the next start of the app', async () => {
	const store = new Memory();
	await bench.pair(sessionInMemory({ store }), { push_token: 'ab01' });
	// Another phone takes the token, and leaves with it.
	const other = sessionInMemory();
	await bench.pair(other, { push_token: 'ab01' });
	await other.fetch('/', { method: 'DELETE' });
	const before = bench.apns.takenFor('ab01').length;
	await bench.push({ title: 'Lost' });
	assert.equal(bench.apns.takenFor('ab01').length, before);
	await sessionInMemory({ store }).catchUp();
	await bench.push({ title: 'Back' });
	assert.equal(bench.apns.takenFor('ab01').at(-1)?.payload.aps.alert.title, 'Back');
});
