import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { currentRun } from '../../src/n8n/run.ts';
import { Transport } from '../../src/rules/transport.ts';
import { FakeClock } from './pacing/service.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const call = { method: 'POST', path: '/badge', body: { count: 1 } } as const;

/** A run of a node as n8n makes it: objects of its own, and the signal of the execution. */
function startRun(signal: AbortSignal) {
	const node = { name: 'Beckon' };
	const execution = { node };
	return currentRun({
		getExecuteData: () => execution,
		getExecutionCancelSignal: () => signal,
		getNode: () => node,
		getCredentials: async () => ({ baseUrl: 'https://beckon.example.com/api', apiKey: 'bk_x' }),
	} as unknown as IExecuteSingleFunctions);
}

test('20,000 runs in one execution leave no listener on its signal, and no memory', async () => {
	const transport = new Transport(new FakeClock());
	const { signal } = new AbortController();
	const listeners = () => getEventListeners(signal, 'abort').length;
	let most = 0;
	const runTimes = async (count: number) => {
		for (let n = 0; n < count; n += 1) {
			const attempt = async () => {
				most = Math.max(most, listeners());
				return { status: 200, headers: {}, body: {} };
			};
			const sending = { longestWait: Infinity, parallel: undefined };
			const run = startRun(signal);
			// The second waits for the first.
			await Promise.all([1, 2].map(() => transport.transmit(call, attempt, run, sending)));
		}
		collectGarbage();
		return process.memoryUsage().heapUsed;
	};
	const before = await runTimes(1_000);

	const after = await runTimes(19_000);

	expect(listeners()).toBe(0);
	expect(most).toBeLessThanOrEqual(1);
	expect((after - before) / 19_000).toBeLessThan(50);
});
