import { createHistogram } from 'node:perf_hooks';
import { Client } from 'undici';
import { type Phase, type Target, Traffic, type TrafficRequest } from './traffic.ts';

/** One phase: as many requests as `connections` make in turn within `seconds`. */
export interface Job {
	phase: Phase;
	connections: number;
	seconds: number;
}

export interface Measured {
	requests: number;
	/** From the first request to the last answer. */
	seconds: number;
	/** Milliseconds from a request to its answer. */
	p50: number;
	p99: number;
}

/**
 * The load generator, in a separate process so that it takes nothing from the contestants' event loops. It
 * first gets its target, then jobs; it answers each with the measurements.
 */
async function run(traffic: Traffic, url: URL, job: Job): Promise<Measured> {
	const clients = Array.from({ length: job.connections }, () => new Client(url.origin));
	const base = url.pathname.replace(/\/$/, '');
	const latency = createHistogram();
	traffic.begin();
	const begin = performance.now();
	const end = begin + job.seconds * 1_000;
	// Everything started is ended, so the next round starts from the same state.
	const next = () =>
		performance.now() < end || job.phase.endsWith('end') ? traffic.next(job.phase) : undefined;
	await Promise.all(
		clients.map((client) => new Promise<void>((done, fail) => converse({ client, done, fail }))),
	);
	const seconds = (performance.now() - begin) / 1_000;
	await Promise.all(clients.map((client) => client.close()));
	return {
		requests: latency.count,
		seconds,
		p50: latency.percentile(50) / 1_000,
		p99: latency.percentile(99) / 1_000,
	};

	/** One connection: a request, its answer, the next request. One shared handler, for speed. */
	function converse({ client, done, fail }: Conversation): void {
		let request: TrafficRequest | undefined;
		let sent = 0;
		let status = 0;
		let text = '';
		const send = () => {
			request = next();
			if (!request) {
				done();
				return;
			}
			const { method, path, key, body, idempotencyKey } = request;
			text = '';
			const headers = ['authorization', `Bearer ${key}`];
			if (body) headers.push('content-type', 'application/json');
			if (idempotencyKey) headers.push('idempotency-key', idempotencyKey);
			const json = body ? JSON.stringify(body) : null;
			sent = performance.now();
			client.dispatch({ method, path: base + path, headers, body: json }, handler);
		};
		const handler = {
			onRequestStart() {
				// Nothing to do; its presence tells undici that the handler has the current form.
			},
			onResponseStart(_controller: unknown, statusCode: number) {
				status = statusCode;
			},
			onResponseData(_controller: unknown, chunk: Buffer) {
				if (status !== 200 || request?.onResponse) text += chunk.toString();
			},
			onResponseEnd() {
				latency.record(Math.max(1, Math.round((performance.now() - sent) * 1_000)));
				if (status === 200) {
					request?.onResponse?.(text);
					send();
				} else {
					fail(new Error(`${request?.method} ${request?.path} was answered ${status}: ${text}`));
				}
			},
			onResponseError(_controller: unknown, error: Error) {
				fail(error);
			},
		};
		send();
	}
}

interface Conversation {
	client: Client;
	done: () => void;
	fail: (error: Error) => void;
}

let traffic: Traffic | undefined;
let url: URL | undefined;

process.on('message', (message: { target: Target } | { job: Job }) => {
	if ('target' in message) {
		traffic = new Traffic(message.target);
		url = new URL(message.target.url);
		return;
	}
	if (!traffic || !url) throw new Error('A job came before its target');
	run(traffic, url, message.job).then(
		(measured) => process.send?.({ measured }),
		(error: unknown) => process.send?.({ error: String(error) }),
	);
});
process.on('disconnect', () => process.exit());
