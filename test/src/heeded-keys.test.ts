import type { Answer } from '../../src/rules/answer.ts';
import { Cancellation } from '../../src/rules/cancellation.ts';
import type { BeckonCall } from '../../src/rules/call.ts';
import { Transport } from '../../src/rules/transport.ts';

const clock = { now: () => 0, sleep: async () => undefined, random: () => 0 };

const push: BeckonCall = { method: 'POST', path: '/push-notification', body: { title: 'a' } };
const start: BeckonCall = { method: 'POST', path: '/live-activity/start', body: {} };

const heeded = { 'beckon-idempotency': 'new' };
const success = (headers = {}): Answer => ({ status: 200, headers, body: { success: true } });
const lost = (headers = {}): Answer => ({ status: 502, headers, body: '' });

/** Sends a call, against a list of answers. @returns the number of attempts */
async function attempts(
	transport: Transport,
	answers: Answer[],
	call = push,
	baseUrl = 'https://a.example/api',
): Promise<number> {
	let count = 0;
	const access = Promise.resolve({ baseUrl, apiKey: 'key' });
	const run = { cancellation: new Cancellation(), inFlight: 0, waited: 0, access };
	const attempt = async () => answers[count++] ?? success(heeded);
	await transport.transmit(call, attempt, run, { longestWait: Infinity, parallel: 1 });
	return count;
}

test('a push that may have arrived is sent again once the server has shown that it heeds keys', async () => {
	const transport = new Transport(clock);
	expect(await attempts(transport, [lost()])).toBe(1);
	expect(await attempts(transport, [success(heeded)])).toBe(1);
	expect(await attempts(transport, [lost(), lost()])).toBe(3);
});

test('the answer that shows it may be the failure itself', async () => {
	expect(await attempts(new Transport(clock), [lost(heeded)])).toBe(2);
});

test('one server says nothing about another, nor about what has no key', async () => {
	const transport = new Transport(clock);
	await attempts(transport, [success(heeded)]);
	expect(await attempts(transport, [lost()], push, 'https://b.example/api')).toBe(1);
	expect(await attempts(transport, [lost()], start)).toBe(1);
});

test('a success that says nothing comes from a server that heeds keys no more', async () => {
	const transport = new Transport(clock);
	await attempts(transport, [success(heeded)]);
	await attempts(transport, [success()]);
	expect(await attempts(transport, [lost()])).toBe(1);
});
