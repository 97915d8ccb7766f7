import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';

import type { Answer } from '../../src/rules/answer';
import { causesOf, codeIn, isUnknown } from '../../src/rules/repeat';
import { EXIT, Failure } from './failure';

/**
 * Why a connection failed, and what to do, by pattern of Node.js's and OpenSSL's error codes, or of the error's name if
 * it has no code, as in newer versions of undici's parser. The first match counts.
 */
const REASONS: Readonly<Record<string, string>> = {
	'^ECONNREFUSED$': 'nothing listens there. Check the address and whether it runs.',
	'^ENOTFOUND$': 'its name is unknown. Check the address.',
	'^EAI_AGAIN$': 'its name cannot be looked up. Check the network.',
	'UNREACH$|^ENETDOWN$': 'no route leads there. Check the network, VPN and firewalls.',
	'^ETIMEDOUT$': 'it did not answer in time. What was sent may have arrived.',
	'^(ECONNRESET|ECONNABORTED|EPIPE)$':
		'the connection closed before the answer. What was sent may have arrived.',
	'^HPE_|^HTTPParserError$': 'it does not speak HTTP. Its address may begin with https:// instead.',
	'^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)':
		'it does not speak TLS. Its address may begin with http:// instead.',
	'ALTNAME|HOSTNAME|PRX_TLS': 'its certificate is for another name. Use a name that is in it.',
	'EXPIRED|NOT_YET_VALID': 'its certificate is not valid today. Renew it, or set the clock.',
	'SELF_SIGNED|ISSUER|LEAF_SIGNATURE|UNTRUSTED':
		'this machine does not trust the authority that signed its certificate. Name the file with that authority: --ca FILE, or NODE_EXTRA_CA_CERTS.',
	'CERT|CRL|^INVALID_|^PATH_LENGTH': 'its certificate is not valid. Get a new one.',
	'^(ERR_SSL_|ERR_TLS_|EPROTO)': 'TLS fails. Check that both sides are up to date.',
};

const WANTS_PASSWORD =
	'the proxy wants a name and a password, as in HTTPS_PROXY=http://name:password@proxy:3128';

/** Undici's codes, and Node.js's codes for the same, which the retry rules know. */
const SAME_AS: Readonly<Record<string, string>> = {
	UND_ERR_SOCKET: 'ECONNRESET',
	UND_ERR_CONNECT_TIMEOUT: 'EHOSTUNREACH',
	UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
};

/**
 * The `fetch` that reaches a server: Node.js's own, or undici's if there is a proxy or a file with authorities, neither
 * of which Node 20's supports.
 * @param ca path of a file with certificates in PEM
 * @throws Failure if the file has no certificate, or the proxy's address is not valid
 */
export async function routeTo(baseUrl: string, ca: string | undefined): Promise<typeof fetch> {
	const name = baseUrl.startsWith('https:') ? 'https_proxy' : 'http_proxy';
	const named = process.env[name] ?? process.env[name.toUpperCase()];
	if (!named && !ca) return fetch;
	const proxy = named && (named.includes('://') ? named : `http://${named}`);
	if (proxy && !URL.canParse(proxy))
		throw new Failure(`${name.toUpperCase()} is no address like http://proxy.example.com:3128`);
	const trusted = ca ? { ca: await authorities(ca) } : {};
	const undici = await import('undici');
	const dispatcher = new undici.EnvHttpProxyAgent({
		...(proxy && { httpProxy: proxy, httpsProxy: proxy }),
		// Proxies forward requests to a server without TLS; many open tunnels only to port 443.
		proxyTunnel: false,
		connect: trusted,
		requestTls: trusted,
		proxyTls: trusted,
	});
	const through = async (url: string, init: object) =>
		await undici.fetch(url, { ...init, dispatcher });
	return through as unknown as typeof fetch;
}

/** The authorities that Node.js trusts, and those in the file. */
async function authorities(ca: string): Promise<string[]> {
	const { NODE_EXTRA_CA_CERTS: extra } = process.env;
	try {
		const added = await readFile(ca, 'utf8');
		// Throws if the file has no certificate.
		new X509Certificate(added);
		return [...rootCertificates, added, ...(extra ? [await readFile(extra, 'utf8')] : [])];
	} catch {
		throw new Failure(`${ca} cannot be read as certificates in PEM. Check what --ca names.`);
	}
}

/**
 * Sends one request.
 * @returns the answer, whatever its status
 * @throws an error with a code that the retry rules know
 */
export async function request(fetchBy: typeof fetch, url: string, init: RequestInit) {
	try {
		// A redirect could carry the key to another host.
		const response = await fetchBy(url, { ...init, redirect: 'manual' });
		const { status, headers } = response;
		const toText = async () => await response.text();
		const body: unknown = await response.clone().json().catch(toText);
		return { status, headers: Object.fromEntries(headers), body } satisfies Answer;
	} catch (error) {
		const isTimeout = error instanceof Error && error.name === 'TimeoutError';
		const code = isTimeout ? 'ETIMEDOUT' : codeIn(error);
		if (code === undefined) throw error;
		throw Object.assign(new Error(code, { cause: error }), { code: SAME_AS[code] ?? code });
	}
}

/** The failure of a request in words, or undefined if the network did not cause the error. */
export function toFailure(error: unknown, baseUrl: string): Failure | undefined {
	const cause: unknown = causesOf(error).at(-1);
	if (!(cause instanceof Error) || cause === error) return undefined;
	const code = codeIn(error) ?? cause.name;
	const [, status] = /^Proxy .*\((\d{3})\)/.exec(cause.message) ?? [];
	const refused = `the proxy refuses (HTTP ${status}). Check its rules, or except the server in NO_PROXY.`;
	const [, known] = Object.entries(REASONS).find(([codes]) => new RegExp(codes).test(code)) ?? [];
	// There is no code, for example, for a port that `fetch` never connects to.
	const other = code === cause.name ? cause.message : `unknown error ${code}. Check the address.`;
	const byProxy = status === '407' ? WANTS_PASSWORD : refused;
	const reason = status === undefined ? (known ?? other) : byProxy;
	return new Failure(`Cannot reach ${failedAt(cause, baseUrl)}: ${reason}`, EXIT.failed, {
		mayHaveArrived: isUnknown({ error }),
	});
}

/** What the system says about a failed connection. */
type Tried = Partial<Record<'address' | 'hostname', string>> & { port?: number };

/** The address that could not be reached: the server's, or the proxy's. */
function failedAt(cause: Error, baseUrl: string): string {
	const server = new URL(baseUrl);
	const ownPort = Number(server.port) || (server.protocol === 'https:' ? 443 : 80);
	const tried = (cause instanceof AggregateError ? cause.errors[0] : cause) as Tried;
	const { hostname = server.hostname, address = hostname, port = ownPort } = tried;
	const isServer = hostname === server.hostname && port === ownPort;
	return isServer ? baseUrl : `the proxy ${address}:${port}`;
}
