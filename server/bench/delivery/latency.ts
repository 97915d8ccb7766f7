import { startProcess } from '../../test/support/process.ts';
import { UNLIMITED } from '../../test/support/samples.ts';
import { openBenchServer } from './bench-server.ts';
import type { Services } from './services.ts';

const PER_SECOND = 100;
const SECONDS = 10;
const WARM_UP = 100;

export interface Latency {
	p50: number;
	p99: number;
	count: number;
}

/** Milliseconds from the start of a request to the arrival of its push at the service, at 100 requests/s. */
export async function measureLatency(services: Services): Promise<Latency> {
	const bench = await openBenchServer(services.settings, 1);
	const server = await startProcess(bench.directory, {
		settings: { ...services.settings, ...UNLIMITED, BECKON_LOG_LEVEL: 'error' },
	});
	const begins = new Map<string, number>();
	const waits: number[] = [];
	await services.trace((title, at) => {
		const begin = begins.get(title);
		if (begin !== undefined) waits.push(at - begin);
	});
	const total = PER_SECOND * SECONDS;
	const answers: Array<Promise<unknown>> = [];
	const first = performance.now();
	for (let n = 0; n < total; n += 1) {
		const wait = first + (n * 1_000) / PER_SECOND - performance.now();
		if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
		const title = `push ${n}`;
		begins.set(title, performance.timeOrigin + performance.now());
		answers.push(
			fetch(`${server.url}/api/push-notification`, {
				method: 'POST',
				headers: { authorization: `Bearer ${bench.key}`, 'content-type': 'application/json' },
				body: JSON.stringify({ title, message: 'Two loaves' }),
			}).then((answer) => answer.arrayBuffer()),
		);
	}
	await Promise.all(answers);
	for (let tries = 0; waits.length < total && tries < 100; tries += 1)
		await new Promise((resolve) => setTimeout(resolve, 50));
	server.signal('SIGTERM');
	await server.finished;
	await bench.close();
	// The first requests warm up caches and connections.
	const sorted = waits.slice(WARM_UP).sort((a, b) => a - b);
	const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
	return { p50: at(0.5), p99: at(0.99), count: waits.length };
}
