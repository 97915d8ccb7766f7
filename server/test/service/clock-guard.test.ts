import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';
import { clockGuard, rememberedClockGuard } from '../../src/service/upkeep/retention.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('a clock that history is deleted by', () => {
	const clock = { now: 0, elapsed: 0 };
	const start = () => {
		clock.now = Date.parse('2026-03-01T12:00:00Z');
		clock.elapsed = 5_000;
		return clockGuard(
			() => clock.now,
			() => clock.elapsed,
		);
	};
	const pass = (ms: number) => {
		clock.now += ms;
		clock.elapsed += ms;
	};

	it('is trusted while it runs on', () => {
		const isTrusted = start();
		expect(isTrusted()).toBe(true);
		pass(400 * DAY_MS);
		expect(isTrusted()).toBe(true);
	});

	it('is not believed for a day after it was set ahead', () => {
		const isTrusted = start();
		clock.now += 400 * DAY_MS;
		expect(isTrusted()).toBe(false);
		pass(DAY_MS - 1);
		expect(isTrusted()).toBe(false);
		pass(1);
		expect(isTrusted()).toBe(true);
	});

	it('is trusted at once when it was set right', () => {
		const isTrusted = start();
		clock.now += 400 * DAY_MS;
		expect(isTrusted()).toBe(false);
		clock.now -= 400 * DAY_MS;
		expect(isTrusted()).toBe(true);
	});

	it('is trusted when it was corrected by hours', () => {
		const isTrusted = start();
		clock.now += 60 * 60 * 1_000;
		expect(isTrusted()).toBe(true);
	});
});

describe('a clock that was set while no server ran', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer();
	});
	afterEach(() => server.close());

	/** A server that starts on the store. */
	const start = () => rememberedClockGuard(server.context);

	it('is trusted on a new store, and after a start within a day', async () => {
		expect(await start()()).toBe(true);
		server.clock.advance(23 * 60 * 60);
		expect(await start()()).toBe(true);
		server.clock.advance(23 * 60 * 60);
		expect(await start()()).toBe(true);
	});

	it('is not believed for a day where it is ahead, however often a server starts', async () => {
		await start()();
		server.clock.now += 400 * DAY_MS;
		const isTrusted = start();
		expect(await isTrusted()).toBe(false);
		server.clock.advance(DAY_MS / 1_000 - 1);
		expect([await isTrusted(), await start()()]).toEqual([false, false]);
		server.clock.advance(1);
		expect(await isTrusted()).toBe(true);
		expect(await start()()).toBe(true);
	});

	it('is trusted at once where it was set right', async () => {
		server.clock.now += 400 * DAY_MS;
		await start()();
		server.clock.now -= 400 * DAY_MS;
		expect(await start()()).toBe(true);
		server.clock.now += 400 * DAY_MS;
		expect(await start()()).toBe(false);
	});
});
