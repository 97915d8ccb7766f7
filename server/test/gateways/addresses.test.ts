import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import http from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { agentsFor, codeOf } from '../../src/delivery/public-agents.ts';
import { Webhooks } from '../../src/delivery/webhooks.ts';

const TAP = { id: 'tap', user: 'Ada', device: 'Phone', at: '2026-03-01T12:00:00.000Z' };
const NOT_PUBLIC =
	'The webhook is not at a public address, and this server calls no others (BECKON_WEBHOOK_ALLOW_PRIVATE).';

let receiver: http.Server;
let port: number;
let calls: string[] = [];

beforeAll(async () => {
	receiver = http.createServer((request, response) => {
		calls.push(`${request.headers.host}${request.url}`);
		response.writeHead(204).end();
	});
	await new Promise<void>((resolve) => receiver.listen(0, '0.0.0.0', resolve));
	port = (receiver.address() as AddressInfo).port;
});
afterAll(() => {
	receiver.close();
});
afterEach(() => {
	calls = [];
});

const webhooks = new Webhooks({ allowPrivate: false, openPerAccount: 1_000 });
const call = (url: string) => webhooks.call('acc', { url, method: 'POST' }, TAP);

/** Ways to write, or to reach, an address that is not public; PORT is a listening port. */
const TRICKS: ReadonlyArray<readonly [string, string]> = [
	['loopback', 'http://127.0.0.1:PORT/'],
	['another loopback', 'http://127.1.2.3:PORT/'],
	['two parts', 'http://127.1:PORT/'],
	['three parts', 'http://127.0.1:PORT/'],
	['decimal', 'http://2130706433:PORT/'],
	['octal', 'http://017700000001:PORT/'],
	['octal parts', 'http://0177.0.0.01:PORT/'],
	['hexadecimal', 'http://0x7f000001:PORT/'],
	['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1:PORT/'],
	['mixed bases', 'http://0x7f.0.01:PORT/'],
	['a trailing dot', 'http://127.0.0.1.:PORT/'],
	['percent-encoded digits', 'http://%31%32%37.0.0.1:PORT/'],
	['circled digits', 'http://①②⑦.⓪.⓪.①:PORT/'],
	['fullwidth digits', 'http://１２７.０.０.１:PORT/'],
	['ideographic dots', 'http://127。0。0。1:PORT/'],
	['a tab inside', 'http://127.0.0.\t1:PORT/'],
	['a backslash before an at sign', 'http://127.0.0.1:PORT\\@example.com/'],
	['a public name as user', 'http://example.com@127.0.0.1:PORT/'],
	['a public name and port as user and password', 'http://example.com:443@127.0.0.1:PORT/'],
	['a public name in the fragment', 'http://127.0.0.1:PORT#@example.com/'],
	['the unspecified address', 'http://0.0.0.0:PORT/'],
	['zero', 'http://0:PORT/'],
	['this network', 'http://0.1.2.3:PORT/'],
	['private, class A', 'http://10.0.0.1:PORT/'],
	['private, class B', 'http://172.16.0.1:PORT/'],
	['private, class C', 'http://192.168.0.1:PORT/'],
	['link-local, where clouds keep credentials', 'http://169.254.169.254/latest/meta-data/'],
	['the same in decimal', 'http://2852039166/latest/meta-data/'],
	['carrier-grade NAT', 'http://100.64.0.1:PORT/'],
	['protocol assignments', 'http://192.0.0.8:PORT/'],
	['documentation', 'http://203.0.113.1:PORT/'],
	['benchmarking', 'http://198.18.0.1:PORT/'],
	['multicast', 'http://224.0.0.1:PORT/'],
	['reserved', 'http://240.0.0.1:PORT/'],
	['broadcast', 'http://255.255.255.255:PORT/'],
	['IPv6 loopback', 'http://[::1]:PORT/'],
	['IPv6 loopback in full', 'http://[0:0:0:0:0:0:0:1]:PORT/'],
	['IPv6 unspecified', 'http://[::]:PORT/'],
	['IPv4-mapped', 'http://[::ffff:127.0.0.1]:PORT/'],
	['IPv4-mapped in hexadecimal', 'http://[::ffff:7f00:1]:PORT/'],
	['IPv4-mapped in full', 'http://[0:0:0:0:0:ffff:7f00:0001]:PORT/'],
	['IPv4-mapped private', 'http://[::ffff:10.0.0.1]:PORT/'],
	['IPv4-translated', 'http://[::ffff:0:127.0.0.1]:PORT/'],
	['IPv4-compatible', 'http://[::127.0.0.1]:PORT/'],
	['NAT64', 'http://[64:ff9b::127.0.0.1]:PORT/'],
	['NAT64 of a private address', 'http://[64:ff9b::10.0.0.1]:PORT/'],
	['local NAT64', 'http://[64:ff9b:1::7f00:1]:PORT/'],
	['6to4', 'http://[2002:7f00:1::1]:PORT/'],
	['Teredo', 'http://[2001::1]:PORT/'],
	['IPv6 link-local', 'http://[fe80::1]:PORT/'],
	['a zone id', 'http://[fe80::1%25lo]:PORT/'],
	['a bare zone id', 'http://[::1%lo]:PORT/'],
	['unique local', 'http://[fc00::1]:PORT/'],
	['unique local, random', 'http://[fd12:3456:789a::1]:PORT/'],
	['site-local', 'http://[fec0::1]:PORT/'],
	['IPv6 multicast', 'http://[ff02::1]:PORT/'],
	['IPv6 documentation', 'http://[2001:db8::1]:PORT/'],
	['IPv6 discard', 'http://[100::1]:PORT/'],
	['localhost', 'http://localhost:PORT/'],
	['localhost in capitals', 'http://LOCALHOST:PORT/'],
	['localhost with a dot', 'http://localhost.:PORT/'],
];

describe('an address that is not public', () => {
	it.each(TRICKS)('is not called, written as %s', async (_name, url) => {
		const result = await call(url.replace('PORT', String(port)));
		expect(calls).toEqual([]);
		expect(result).toEqual({ kind: 'failed', reason: expect.any(String) });
		// A valid URL is refused for its address, not for lack of a way to it.
		const isUrl = URL.canParse(url.replace('PORT', String(port)));
		if (isUrl && !/localhost\.:/.test(url))
			expect(result).toEqual({ kind: 'failed', reason: NOT_PUBLIC });
	});

	it('is written in at least forty ways here', () => {
		expect(TRICKS.length).toBeGreaterThanOrEqual(40);
	});
});

/** A resolver that gives these addresses in turn, repeating the last. */
function resolverOf(answers: string[][]): LookupFunction {
	const left = [...answers];
	return (_host, options, done) => {
		const answer = left.length > 1 ? left.shift()! : left[0]!;
		const addresses = answer.map((address) => ({
			address,
			family: address.includes(':') ? 6 : 4,
		}));
		if (options.all) done(null, addresses);
		else done(null, addresses[0]!.address, addresses[0]!.family);
	};
}

describe('a name whose addresses change', () => {
	/** Webhooks and push services are called through these agents. @returns the result of one call */
	const callBy = (agent: http.Agent) =>
		new Promise<string>((resolve) => {
			const options = { agent, method: 'POST' };
			http
				.request(`http://rebind.example.com:${port}/`, options, (response) => {
					response.resume();
					resolve(`answered ${response.statusCode}`);
				})
				.on('error', (error) => resolve(codeOf(error) ?? error.message))
				.end();
		});

	it.each([
		['points at loopback', [['127.0.0.1']]],
		['points at IPv6 loopback', [['::1']]],
		['points at an IPv4-mapped loopback', [['::ffff:127.0.0.1']]],
		['points at an IPv4-compatible loopback', [['::127.0.0.1']]],
		['is at a documentation address at first, then at loopback', [['192.0.2.7'], ['127.0.0.1']]],
		['hides loopback behind a public address', [['8.8.8.8', '127.0.0.1']]],
		['hides a public address behind loopback', [['127.0.0.1', '8.8.8.8']]],
	])('is not called when it %s', async (_name, answers) => {
		const { httpAgent } = agentsFor(false, { lookup: resolverOf(answers) });
		const warn = jest.spyOn(console, 'warn');
		for (let call = 0; call < 2; call += 1) {
			expect(await callBy(httpAgent)).toBe('ERR_NOT_PUBLIC');
		}
		expect(calls).toEqual([]);
		expect(warn).not.toHaveBeenCalled();
	});

	it('is called where private addresses are allowed', async () => {
		const { httpAgent } = agentsFor(true, { lookup: resolverOf([['127.0.0.1']]) });
		expect(await callBy(httpAgent)).toBe('answered 204');
		expect(calls).toEqual([`rebind.example.com:${port}/`]);
	});
});
