import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';

import { isObject, type Answer } from '../../src/rules/answer';
import { codeIn, isUnknown } from '../../src/rules/repeat';
import { EXIT, Failure } from './failure';

/** Why a connection fails, and what to do, by patterns of Node.js's and OpenSSL's codes: the first that matches. */
const REASONS: Readonly<Record<string, string>> = {
	'^ECONNREFUSED$': 'nothing listens there. Check the address and whether it runs.',
	'^ENOTFOUND$': 'its name is unknown. Check the address.',
	'^EAI_AGAIN$': 'its name cannot be looked up. Check the network.',
	'UNREACH$|^ENETDOWN$': 'no route leads there. Check the network, VPN and firewalls.',
	'^ETIMEDOUT$': 'it did not answer in time. What was sent may have arrived.',
	'^(ECONNRESET|ECONNABORTED|EPIPE)$':
		'the connection closed before the answer. What was sent may have arrived.',
	'^HPE_': 'it does not speak HTTP. Its address may begin with https:// instead.',
	'^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)':
		'it does not speak TLS. Its address may begin with http:// instead.',
	'ALTNAME|HOSTNAME': 'its certificate is for another name. Use a name that is in it.',
	'EXPIRED|NOT_YET_VALID': 'its certificate is not valid today. Renew it, or set the clock.',
	'SELF_SIGNED|ISSUER|LEAF_SIGNATURE|UNTRUSTED':
		'this machine does not trust the authority that signed its certificate. Name the file with that authority: --ca FILE, or NODE_EXTRA_CA_CERTS.',
	'CERT|CRL|^INVALID_|^PATH_LENGTH': 'its certificate is not valid. Get a new one.',
	'^(ERR_SSL_|ERR_TLS_|EPROTO)': 'TLS fails. Check that both sides are up to date.',
};

/** Undici's names for what other codes say as well. */
const SAME_AS: Readonly<Record<string, string>> = {
	UND_ERR_SOCKET: 'ECONNRESET',
	UND_ERR_CONNECT_TIMEOUT: 'EHOSTUNREACH',
	UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
	UND_ERR_PRX_TLS: 'ERR_TLS_CERT_ALTNAME_INVALID',
};

/**
 * How to reach a server: as Node.js does, or as the proxy variables and a file with authorities say. Only then undici
 * is loaded: Node 20's `fetch` knows neither.
 * @param ca path of a file with certificates in PEM
 * @throws Failure if the file or the proxy's address is none
 */
export async function routeTo(baseUrl: string, ca: string | undefined): Promise<typeof fetch> {
	const name = baseUrl.startsWith('https:') ? 'https_proxy' : 'http_proxy';
	const named = process.env[name] ?? process.env[name.toUpperCase()];
	if (!named && !ca) return fetch;
	const proxy = named && (named.includes('://') ? named : `http://${named}`);
	if (proxy && !URL.canParse(proxy)) {
		throw new Failure(`${name.toUpperCase()} is no address like http://proxy.example.com:3128`);
	}
	const trusted = ca ? { ca: await authorities(ca) } : {};
	const undici = await import('undici');
	const dispatcher = new undici.EnvHttpProxyAgent({
		...(proxy && { httpProxy: proxy, httpsProxy: proxy }),
		// To a server without TLS, proxies forward requests: many open tunnels to port 443 alone.
		proxyTunnel: false,
		connect: trusted,
		requestTls: trusted,
		proxyTls: trusted,
	});
	const fetchBy = async (url: string, init: object) =>
		await undici.fetch(url, { ...init, dispatcher });
	return fetchBy as unknown as typeof fetch;
}

/** The authorities that Node.js trusts, and those in the file. */
async function authorities(ca: string): Promise<string[]> {
	const { NODE_EXTRA_CA_CERTS: extra } = process.env;
	try {
		const added = await readFile(ca, 'utf8');
		// Throws if the file has none.
		new X509Certificate(added);
		return [...rootCertificates, added, ...(extra ? [await readFile(extra, 'utf8')] : [])];
	} catch {
		throw new Failure(`${ca} cannot be read as certificates in PEM. Check what --ca names.`);
	}
}

/**
 * Sends one request.
 * @returns the answer, whatever its status
 * @throws an error with the code by which the rules for repeats know it
 */
export async function request(fetchBy: typeof fetch, url: string, init: RequestInit) {
	try {
		// A redirect could carry the key to another host.
		const response = await fetchBy(url, { ...init, redirect: 'manual' });
		const text = await response.text();
		const { status, headers } = response;
		return { status, headers: Object.fromEntries(headers), body: toJson(text) } satisfies Answer;
	} catch (error) {
		const isTimeout = error instanceof Error && error.name === 'TimeoutError';
		const code = isTimeout ? 'ETIMEDOUT' : codeIn(error);
		if (code === undefined) throw error;
		throw Object.assign(new Error(code, { cause: error }), { code: SAME_AS[code] ?? code });
	}
}

function toJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** The failure of a request in words; undefined if the error is none of the network. */
export function toFailure(error: unknown, baseUrl: string): Failure | undefined {
	let cause = error;
	while (isObject(cause) && cause['cause'] !== undefined) cause = cause['cause'];
	if (!(cause instanceof Error) || cause === error) return undefined;
	const code = codeIn(error) ?? '';
	const { message } = cause;
	const [, status] = /^Proxy .*\((\d{3})\)/.exec(message) ?? [];
	const proxied =
		status === '407'
			? 'the proxy wants a name and a password, as in HTTPS_PROXY=http://name:password@proxy:3128'
			: `the proxy refuses (HTTP ${status}). Check its rules, or except the server in NO_PROXY.`;
	const [, known] = Object.entries(REASONS).find(([codes]) => new RegExp(codes).test(code)) ?? [];
	// Without a code: such as a port that `fetch` never connects to.
	const other = code === '' ? message : `the connection fails (${code}). Check the address.`;
	const reason = status === undefined ? (known ?? other) : proxied;
	return new Failure(`Cannot reach ${failedAt(cause, baseUrl)}: ${reason}`, EXIT.failed, {
		mayHaveArrived: isUnknown({ error }),
	});
}

/** What the system says about a failed connection. */
type Tried = Partial<Record<'address' | 'hostname', string>> & { port?: number };

/** The server's address, unless what failed is the connection to a proxy. */
function failedAt(cause: Error, baseUrl: string): string {
	const server = new URL(baseUrl);
	const usual = server.protocol === 'https:' ? 443 : 80;
	const tried = (cause instanceof AggregateError ? cause.errors[0] : cause) as Tried;
	const { hostname = server.hostname, address = hostname } = tried;
	const { port = Number(server.port) || usual } = tried;
	const isServer = hostname === server.hostname && port === (Number(server.port) || usual);
	return isServer ? baseUrl : `the proxy ${address}:${port}`;
}
