import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';

const HOURS = { from: '22:00', to: '07:00', days: ['mon'] };

describe("a phone's time zone", () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: { BECKON_RATE_PER_DEVICE: '100000' } });
	});
	afterEach(() => server.close());

	const put = async (time_zone: string) => {
		const body = { hours: HOURS, time_zone, minimum_level: 'passive', questions: false };
		const answer = await server.phone.call('PUT', '/quiet', body);
		return { status: answer.status, stored: answer.body['time_zone'] };
	};

	it.each([
		['europe/BERLIN', 'Europe/Berlin'],
		['US/Eastern', 'America/New_York'],
		['utc', 'UTC'],
		['Etc/UTC', 'UTC'],
	])('is stored in its one spelling: %s as %s', async (sent, stored) => {
		expect(await put(sent)).toEqual({ status: 200, stored });
		expect((await server.phone.call('GET', '/quiet')).body['time_zone']).toBe(stored);
	});
});
