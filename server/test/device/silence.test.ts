import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import type { TypedApp } from '../../src/http/typed-app.ts';
import { EventStream, EventStreams } from '../../src/http/sse.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { waitFor } from '../support/wait.ts';

const SILENCE_MS = 100;
const NEVER_MS = 3_600_000;

describe('an event stream with nothing to tell', () => {
	let app: TypedApp;
	let asked: number;
	let received: string;
	let hangUp: AbortController;
	beforeEach(() => {
		leaveOutOfPacked('an event stream of its own');
		app = Fastify();
		asked = 0;
		received = '';
		hangUp = new AbortController();
	});
	afterEach(async () => {
		hangUp.abort();
		await app.close();
	});

	/** Follows a stream that says `hello` each time it is asked. */
	async function follow(options: { heartbeat?: string; askAfterMs: number }): Promise<void> {
		const streams = new EventStreams(app, { silenceMs: SILENCE_MS, ...options });
		app.get('/', (_request, reply) =>
			streams.open(
				reply,
				{
					async writeNews(stream) {
						asked += 1;
						await stream.write(': hello\n\n');
						return true;
					},
					closed() {
						// Nothing to release.
					},
				},
				'phone',
			),
		);
		const address = await app.listen({ host: '127.0.0.1', port: 0 });
		const response = await fetch(address, { signal: hangUp.signal });
		const read = async () => {
			for await (const chunk of response.body!) received += Buffer.from(chunk).toString();
		};
		void read().catch(() => {
			// The stream was closed.
		});
	}
	const count = (text: string) => received.split(text).length - 1;

	it('gives signs of life without asking its source again', async () => {
		await follow({ heartbeat: ': alive\n\n', askAfterMs: NEVER_MS });
		await waitFor('three signs', () => count(': alive\n\n') >= 3);
		expect(received.startsWith(': hello\n\n: alive\n\n: alive\n\n')).toBe(true);
		expect(asked).toBe(1);
	});

	it('gives them to all others if one cannot be written to', async () => {
		await follow({ heartbeat: ': alive\n\n', askAfterMs: NEVER_MS });
		let failures = 0;
		const { say } = EventStream.prototype;
		// The first of a sweep is the stream that has been silent for longest.
		EventStream.prototype.say = function sayOnce(text) {
			failures += 1;
			if (failures === 1) throw new Error('Not writable');
			say.call(this, text);
		};
		try {
			await waitFor('the failure', () => failures === 1);
			const { port } = app.server.address() as AddressInfo;
			const response = await fetch(`http://127.0.0.1:${port}/`, { signal: hangUp.signal });
			let text = '';
			for await (const chunk of response.body!) {
				text += Buffer.from(chunk).toString();
				if (text.includes(': alive')) break;
			}
			expect(failures).toBeGreaterThan(1);
		} finally {
			EventStream.prototype.say = say;
		}
	});

	it('asks its source after the longer time', async () => {
		await follow({ heartbeat: ': alive\n\n', askAfterMs: 3 * SILENCE_MS });
		await waitFor('three answers', () => count(': hello\n\n') >= 3);
		expect(count(': alive\n\n')).toBeGreaterThanOrEqual(asked - 1);
	});

	it('asks its source after each silence where it has no sign of its own', async () => {
		await follow({ askAfterMs: SILENCE_MS });
		await waitFor('three answers', () => count(': hello\n\n') >= 3);
		expect(received.replaceAll(': hello\n\n', '')).toBe('');
	});

	it('says nothing more once it has ended, however slowly it is read', async () => {
		const errors: unknown[] = [];
		let woken: EventStream | undefined;
		const streams = new EventStreams(app, {
			silenceMs: SILENCE_MS,
			heartbeat: ': alive\n\n',
			askAfterMs: SILENCE_MS,
		});
		app.get('/', (_request, reply) => {
			reply.raw.on('error', (error) => errors.push(error));
			return streams.open(
				reply,
				{
					writeNews(stream) {
						woken = stream;
						asked += 1;
						// More than the connection takes while nobody reads.
						void stream.write('x'.repeat(10_000_000));
						return Promise.resolve(false);
					},
					closed() {
						// Nothing to release.
					},
					goodbye: ': bye\n\n',
				},
				'phone',
			);
		});
		const address = await app.listen({ host: '127.0.0.1', port: 0 });
		const unread = connect(Number(new URL(address).port), '127.0.0.1');
		unread.pause();
		unread.on('error', () => {
			// The server gives up on it when it closes.
		});
		unread.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
		await waitFor('the end of the stream', () => asked > 0);
		const since = performance.now();
		await waitFor('a silence', () => performance.now() - since > 4 * SILENCE_MS);
		woken?.wake();
		await app.close();
		unread.destroy();
		expect(asked).toBe(1);
		expect(errors).toEqual([]);
	});
});
