import { afterEach, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the address that a client is counted by', () => {
	let server: TestServer;
	afterEach(() => server.close());

	/** The rest of the address allowance of 9 after one more request from there. */
	const remaining = async (from: string, forwarded?: string): Promise<number> => {
		const { headers } = await server.call(
			'POST',
			'/badge',
			{ badge: 1 },
			{
				key: null,
				from,
				headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
			},
		);
		return Number(/;r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
	};
	const start = async (proxies = '') => {
		server = await startTestServer({
			settings: { BECKON_RATE_PER_ADDRESS: '9', BECKON_TRUSTED_PROXIES: proxies },
		});
	};

	it('is each IPv4 address by itself', async () => {
		await start();
		expect([
			await remaining('192.0.2.1'),
			await remaining('192.0.2.1'),
			await remaining('192.0.2.2'),
		]).toEqual([8, 7, 8]);
	});

	it('is the /64 network of an IPv6 address', async () => {
		await start();
		expect(await remaining('2001:db8:1:2::1')).toBe(8);
		expect(await remaining('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(7);
		expect(await remaining('2001:db8:1:3::1')).toBe(8);
	});

	it('is the IPv4 address of an IPv4-mapped one', async () => {
		await start();
		expect([
			await remaining('192.0.2.1'),
			await remaining('::ffff:192.0.2.1'),
			await remaining('::ffff:192.0.2.2'),
		]).toEqual([8, 7, 8]);
	});

	it('is not what X-Forwarded-For claims where no proxy is trusted', async () => {
		await start();
		expect([
			await remaining('192.0.2.1', '198.51.100.1'),
			await remaining('192.0.2.1', '198.51.100.2'),
		]).toEqual([8, 7]);
	});

	it('is not what X-Forwarded-For claims coming from anyone but a trusted proxy', async () => {
		await start('10.0.0.1');
		expect([
			await remaining('10.0.0.2', '198.51.100.1'),
			await remaining('10.0.0.2', '198.51.100.2'),
		]).toEqual([8, 7]);
	});

	it.each(['10.0.0.1', '10.0.0.0/8', '192.0.2.7, 10.0.0.1'])(
		'is the forwarded one behind the trusted proxy %s',
		async (proxies) => {
			await start(proxies);
			expect(await remaining('10.0.0.1', '198.51.100.1')).toBe(8);
			expect(await remaining('10.0.0.1', '198.51.100.1')).toBe(7);
			expect(await remaining('10.0.0.1', '198.51.100.2')).toBe(8);
		},
	);

	it.each([
		['192.0.2.1:443', '192.0.2.1'],
		['192.0.2.1:443', '192.0.2.1:444'],
		['[2001:db8::1]:443', '2001:db8::1'],
		['[2001:db8::1]', '2001:db8::1'],
	])('is the forwarded one without its port: %s is %s', async (one, other) => {
		await start('10.0.0.1');
		expect(await remaining('10.0.0.1', one)).toBe(8);
		expect(await remaining('10.0.0.1', other)).toBe(7);
	});

	it.each([
		['no address', 'unknown'],
		['no address behind one', '198.51.100.1, _hidden'],
		['a number', '1'],
		['an empty entry behind an address', '198.51.100.1, '],
		['too long for one', 'x'.repeat(500)],
	])('is that of the proxy which forwards %s', async (_what, forwarded) => {
		await start('10.0.0.1');
		expect(await remaining('10.0.0.1')).toBe(8);
		expect(await remaining('10.0.0.1', forwarded)).toBe(7);
	});

	it('is the last forwarded one that no trusted proxy has, so that a client cannot choose it', async () => {
		await start('10.0.0.0/8');
		expect(await remaining('10.0.0.1', '203.0.113.5, 198.51.100.1')).toBe(8);
		expect(await remaining('10.0.0.1', '203.0.113.6, 198.51.100.1, 10.0.0.2')).toBe(7);
	});
});
