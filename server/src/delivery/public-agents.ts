import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

const COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96');

/**
 * Rejects IPv4-compatible addresses such as `::127.0.0.1`: deprecated by RFC 4291, but public to the filter.
 * The filter's own deny list is no alternative: a network of one family in it logs a warning for every
 * address of the other.
 */
function addressError(address: string): Error | undefined {
	if (!net.isIPv6(address) || !ipaddr.IPv6.parse(address).match(COMPATIBLE)) return undefined;
	return new Error(`${address} is not allowed: not a public address`);
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

/** True if a request failed because the address is not public. */
export function isPrivateAddressError(message: string): boolean {
	return /private|not allowed|DNS lookup/i.test(message);
}
