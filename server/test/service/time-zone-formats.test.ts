import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { formats } from '../../src/service/quiet/wall-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const HOURS = { from: '22:00', to: '07:00', days: ['mon'] };

/** Each of 2^letters ways to write a name in capital and small letters. */
function spelling(name: string, bits: number): string {
	return Array.from(name.toLowerCase(), (letter, place) =>
		(bits >> place) & 1 ? letter.toUpperCase() : letter,
	).join('');
}

describe('the formats of time zones', () => {
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

	it('cost no more memory, however often a zone is spelled in another way', async () => {
		await put('Europe/Berlin');
		const before = formats.size;
		for (let bits = 0; bits < 600; bits += 1)
			expect(await put(spelling('Europe/Berlin', bits))).toEqual({
				status: 200,
				stored: 'Europe/Berlin',
			});
		expect(formats.size).toBe(before);
		for (const zone of Intl.supportedValuesOf('timeZone')) await put(zone);
		expect(formats.size).toBe(100);
	});
});
