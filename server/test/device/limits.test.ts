import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventStream, followEvents } from '../support/events.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';

/** Streams that one phone may have open. */
const MOST_STREAMS = 10;

describe('a phone that asks for more than its share', () => {
	let server: TestServer;
	let other: TestPhone;
	beforeEach(async () => {
		server = await startTestServer({ settings: { BECKON_RATE_PER_DEVICE: '30' } });
		other = await server.pairPhone({ name: 'Other' });
	});
	afterEach(() => server.close());

	it('should be answered with 429 and Retry-After for the rest of the window, and nobody else', async () => {
		const statuses: number[] = [];
		for (let call = 0; call < 32; call += 1)
			statuses.push((await server.phone.call('GET', '/channels')).status);
		expect(statuses).toEqual([...Array<number>(30).fill(200), 429, 429]);
		const { headers, body } = await server.phone.call('POST', '/acknowledge', { deliveries: [1] });
		expect(headers['retry-after']).toBe('60');
		expect(body).toEqual({
			error: 'Too many requests',
			message: 'This phone asks too often. Try again in 60 s.',
		});
		expect((await other.call('GET', '/channels')).status).toBe(200);
		server.clock.advance(60);
		expect((await server.phone.call('GET', '/channels')).status).toBe(200);
	});

	it('should be answered with 429 beyond ten requests at a time', async () => {
		leaveOutOfPacked('calls that begin in the same moment');
		const answers = await Promise.all(
			Array.from({ length: 25 }, () => server.phone.call('GET', '/snapshot')),
		);
		const refused = answers.filter(({ status }) => status === 429);
		expect(refused).toHaveLength(15);
		expect(refused[0]!.headers['retry-after']).toBe('1');
		expect((await server.phone.call('GET', '/snapshot')).status).toBe(200);
	});

	it('should keep its newest event streams, of which the others lose none', async () => {
		const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
		const theirs = await followEvents(base, other.token);
		const streams: EventStream[] = [];
		for (let count = 0; count < MOST_STREAMS + 3; count += 1)
			streams.push(await followEvents(base, server.phone.token));
		for (const oldest of streams.slice(0, 3)) {
			await within('the end of the oldest', oldest.ended);
			// Nobody asks it to come back at once.
			expect(oldest.events.map(({ event }) => event)).not.toContain('bye');
		}
		await waitFor(
			'the streams to be counted',
			() => server.context.live.openStreams().phones === MOST_STREAMS + 1,
		);
		await server.call('POST', '/push-notification', { title: 'A' });
		for (const stream of [theirs, ...streams.slice(3)]) {
			expect(await stream.waitForDeliveries(1)).toHaveLength(1);
			await stream.close();
		}
	});
});
