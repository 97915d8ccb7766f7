import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

const COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96');

const NOT_PUBLIC = 'ERR_NOT_PUBLIC';

/**
 * Rejects what is not public unicast before the filter does, whose errors have no code; and IPv4-compatible addresses
 * such as `::127.0.0.1`, which are deprecated by RFC 4291 but public to the filter.
 */
function addressError(address: string): Error | undefined {
	if (net.isIP(address) === 0) return undefined;
	const isCompatible = net.isIPv6(address) && ipaddr.IPv6.parse(address).match(COMPATIBLE);
	if (!isCompatible && ipaddr.process(address).range() === 'unicast') return undefined;
	return Object.assign(new Error(`${address} is not a public address`), { code: NOT_PUBLIC });
}

function checkedLookup(lookup: net.LookupFunction = dns.lookup): net.LookupFunction {
	return (host, options, done) =>
		lookup(host, options, (error, found, family) => {
			if (error) {
				done(error, found, family);
				return;
			}
			const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
			done(addresses.map(addressError).find((wrong) => wrong) ?? null, found, family);
		});
}

/** Names are checked when they are resolved, addresses here. */
function checkAddress<T extends http.Agent>(agent: T): T {
	const connect = agent.createConnection.bind(agent);
	agent.createConnection = (options, done) => {
		const wrong = addressError('host' in options ? (options.host ?? '') : '');
		if (!wrong) return connect(options, done);
		// By callback: a socket destroyed here can emit its error before the request listens.
		process.nextTick(() => done?.(wrong, new net.Socket()));
		return undefined;
	};
	return agent;
}

/**
 * Agents for URLs chosen by senders and browsers: whatever the host name, the address connected to must be
 * public unicast, unless `allowPrivate`.
 */
export function agentsFor(
	allowPrivate: boolean,
	options: https.AgentOptions = {},
): { httpAgent: http.Agent; httpsAgent: https.Agent } {
	if (allowPrivate)
		return { httpAgent: new http.Agent(options), httpsAgent: new https.Agent(options) };
	const checked = { ...options, lookup: checkedLookup(options.lookup) };
	return {
		httpAgent: checkAddress(new RequestFilteringHttpAgent(checked)),
		httpsAgent: checkAddress(new RequestFilteringHttpsAgent(checked)),
	};
}

/** True if a request failed because the address is not public. @param error of Node.js or axios */
export function isPrivateAddressError(error: unknown): boolean {
	return codeOf(error) === NOT_PUBLIC;
}

/** The code of an error of Node.js or axios, by which its kind is known; undefined: it has none. */
export function codeOf(error: unknown): string | undefined {
	return error instanceof Error && 'code' in error && typeof error.code === 'string'
		? error.code
		: undefined;
}
