import fc from 'fast-check';

import { Cancellation, WaitCancelled } from '../../../src/rules/cancellation.ts';
import { AllowanceUsedUp } from '../../../src/rules/pacing/allowance.ts';
import { Pacer } from '../../../src/rules/pacing/pacer.ts';
import type { Run } from '../../../src/rules/pacing/queue.ts';
import { FakeClock, FakeService, type ServiceOptions } from './service.ts';

const newRun = (signal?: AbortSignal): Run => ({
	cancellation: new Cancellation(signal),
	inFlight: 0,
	waited: 0,
});

function setUp(options: ServiceOptions) {
	const clock = new FakeClock();
	const service = new FakeService(clock, options);
	const pacer = new Pacer(clock);
	const send = async (
		name: string,
		{ run = newRun(), parallel = 100, longestWait = Infinity } = {},
	) =>
		await pacer.send(async () => await service.request(name), {
			run,
			parallel,
			deadline: clock.now() + longestWait,
		});
	return { clock, service, pacer, send };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => String(index));

test('five windows are filled without a refusal, and hardly later than they open', async () => {
	const { clock, service, send } = setUp({ quota: 60, windowSeconds: 60 });
	const run = newRun();
	const began = clock.now();

	await clock.run(Promise.all(names(300).map(async (name) => await send(name, { run }))));

	expect(service.refusals).toBe(0);
	expect(service.sent).toEqual(names(300));
	expect(clock.now() - began).toBeLessThan(4 * 60_000 * 1.01);
});

test('the scarcer of two policies rules', async () => {
	const { clock, service, pacer } = setUp({ quota: 100, windowSeconds: 10 });
	const scarce = new FakeService(clock, { quota: 3, windowSeconds: 10 });
	const run = newRun();
	const both = async () => {
		const other = scarce.count('b').headers['ratelimit'] as string;
		const answer = await service.request('a');
		const ratelimit = `${String(answer.headers['ratelimit'])}, ${other.replace(':x', ':y')}`;
		return { ...answer, headers: { ...answer.headers, ratelimit } };
	};

	const sendAll = names(9).map(
		async () => await pacer.send(both, { run, parallel: 100, deadline: Infinity }),
	);
	await clock.run(Promise.all(sendAll));

	expect(scarce.refusals).toBe(0);
	expect(service.accepted).toHaveLength(9);
});

test('a window that another process has used up waits its Retry-After and goes on', async () => {
	const { clock, service, send } = setUp({ quota: 2, windowSeconds: 10 });
	const run = newRun();
	service.count('other');
	service.count('other');

	await clock.run(Promise.all(names(4).map(async (name) => await send(name, { run }))));

	expect(service.refusals).toBe(1);
	expect(service.accepted.slice(2).map(({ name }) => name)).toEqual(names(4));
});

test('an allowance that returns too late fails at once and says when it returns', async () => {
	const { clock, send } = setUp({ quota: 1, windowSeconds: 60 });
	await clock.run(send('first'));
	const before = clock.now();

	const error = await clock.run(send('second', { longestWait: 50_000 }).catch((e: unknown) => e));

	expect(error).toBeInstanceOf(AllowanceUsedUp);
	expect((error as AllowanceUsedUp).message).toBe('The allowance of account:x is used up.');
	expect((error as AllowanceUsedUp).returnsIn).toBeGreaterThan(59_000);
	expect(clock.now()).toBe(before);
});

test('cancelling ends the waits of its run at once, and those of no other', async () => {
	const { clock, service, send } = setUp({ quota: 1, windowSeconds: 60 });
	const stop = new AbortController();
	await clock.run(send('first'));
	const waiting = send('cancelled', { run: newRun(stop.signal) }).catch((error: unknown) => error);
	const other = send('other');
	const before = clock.now();

	stop.abort();

	expect(await waiting).toBeInstanceOf(WaitCancelled);
	expect(clock.now()).toBe(before);
	await clock.run(other);
	expect(service.sent).toEqual(['first', 'other']);
});

test('runs take turns, so that a single push does not wait behind a thousand', async () => {
	const { clock, service, send } = setUp({ quota: 1000, windowSeconds: 60 });
	const long = newRun();
	const sending = names(20).map(async (name) => await send(name, { run: long, parallel: 1 }));

	await clock.run(send('single'));
	expect(service.sent.indexOf('single')).toBeLessThan(4);
	await clock.run(Promise.all(sending));
});

test('a request without an answer holds up the others for seconds only', async () => {
	const { clock, pacer, send } = setUp({ quota: 10, windowSeconds: 60 });
	const before = clock.now();
	void pacer.send(async () => await new Promise(() => undefined), {
		run: newRun(),
		parallel: 1,
		deadline: Infinity,
	});

	await clock.run(send('next'));

	expect(clock.now() - before).toBeLessThan(5100);
});

test('refusals without a header are waited out ever longer', async () => {
	const { clock, pacer } = setUp({ quota: 1, windowSeconds: 1 });
	const times: number[] = [];
	const request = async () => {
		times.push(clock.now());
		const status = times.length < 4 ? 429 : 200;
		return { status, headers: {}, body: {} };
	};

	await clock.run(pacer.send(request, { run: newRun(), parallel: 1, deadline: Infinity }));

	const pauses = times.slice(1).map((time, index) => Math.round((time - times[index]!) / 1000));
	expect(pauses).toEqual([1, 2, 4]);
});

test('a full phone is final: time does not help', async () => {
	const { clock, pacer } = setUp({ quota: 1, windowSeconds: 1 });
	const full = { status: 429, headers: {}, body: { error: 'Full', limit: 5, active: 5 } };

	const sending = pacer.send(async () => full, { run: newRun(), parallel: 1, deadline: Infinity });

	expect(await clock.run(sending)).toBe(full);
});

test('alone, it never asks for more than a window has, always finishes, and keeps the order', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.record({
				quota: fc.integer({ min: 1, max: 20 }),
				windowSeconds: fc.integer({ min: 2, max: 60 }),
				count: fc.integer({ min: 1, max: 60 }),
				parallel: fc.integer({ min: 1, max: 20 }),
				latencies: fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 20 }),
			}),
			async ({ quota, windowSeconds, count, parallel, latencies }) => {
				let turn = 0;
				const latency = () => latencies[(turn += 1) % latencies.length]!;
				const { clock, service, send } = setUp({ quota, windowSeconds, latency });
				const run = newRun();
				const sending = names(count).map(async (name) => await send(name, { run, parallel }));
				await clock.run(Promise.all(sending));

				expect(service.refusals).toBe(0);
				expect(service.accepted).toHaveLength(count);
				expect(service.sent).toEqual(names(count));
			},
		),
		{
			numRuns: 60 * Number(process.env['RANDOM_TEST_FACTOR'] ?? 1),
			// Answers within the same millisecond in which the window opened.
			examples: [[{ quota: 2, windowSeconds: 2, count: 3, parallel: 1, latencies: [0] }]],
		},
	);
});
