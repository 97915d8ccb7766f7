import http from 'node:http';
import https from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

/** IPv4-compatible addresses, `::127.0.0.1`: given up by RFC 4291, and taken for public by the filter. */
const FURTHER_PRIVATE = ['::/96'];

/**
 * Agents for URLs that senders and browsers choose: the address that is connected to must be public
 * unicast, whatever the name said, unless `allowPrivate`.
 */
export function agentsFor(
	allowPrivate: boolean,
	options: https.AgentOptions = {},
): { httpAgent: http.Agent; httpsAgent: https.Agent } {
	if (allowPrivate)
		return { httpAgent: new http.Agent(options), httpsAgent: new https.Agent(options) };
	const filtered = { ...options, denyIPAddressList: FURTHER_PRIVATE };
	return {
		httpAgent: new RequestFilteringHttpAgent(filtered),
		httpsAgent: new RequestFilteringHttpsAgent(filtered),
	};
}

/** Whether this error of a request says that the address is not public. */
export function isPrivateAddressError(message: string): boolean {
	return /private|not allowed|DNS lookup/i.test(message);
}
