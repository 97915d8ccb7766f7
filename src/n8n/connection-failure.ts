import type { Failure } from 'n8n-workflow';

import { causesOf, codeIn, SSRF_BLOCKED } from '../rules/repeat';

/** The reason for a missing answer: the system's code, and the text for the user. */
export interface ConnectionFailure {
	code: string;
	message: string;
	advice: string;
	/** For n8n: whether waiting may help, or something needs correcting. */
	failure: Failure;
}

interface Explanation {
	/** Completes "Could not reach the Beckon server at <url>: …", or the proxy at an address. */
	reason: string;
	advice: string;
}

const CHECK_ADDRESS = 'Check the Base URL in the Beckon API credential.';

const CHECK_PROXY =
	'Start the proxy, or correct its address: in the Settings of the node, under Request Options, or in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY of n8n.';

/** Advice when it is unknown whether the request was carried out. */
export const UNKNOWN_OUTCOME =
	'The request may have arrived anyway: check the phone before you send it again.';

const NO_URL: Explanation = {
	reason: 'this is not a URL',
	advice: `${CHECK_ADDRESS} It begins with https:// or http://`,
};

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
	ECONNREFUSED: {
		reason: 'nothing is listening at this address',
		advice:
			'Start the server, or correct the Base URL in the Beckon API credential. If n8n runs in a container, localhost is the container itself.',
	},
	ENOTFOUND: { reason: 'its host name is unknown', advice: CHECK_ADDRESS },
	EAI_AGAIN: { reason: 'its host name could not be looked up', advice: CHECK_ADDRESS },
	EHOSTUNREACH: { reason: 'there is no route to it', advice: CHECK_ADDRESS },
	ENETUNREACH: { reason: 'there is no route to it', advice: CHECK_ADDRESS },
	ETIMEDOUT: { reason: 'it did not answer in time', advice: UNKNOWN_OUTCOME },
	ECONNABORTED: { reason: 'it did not answer in time', advice: UNKNOWN_OUTCOME },
	ECONNRESET: { reason: 'the connection was closed before the answer', advice: UNKNOWN_OUTCOME },
	EPIPE: { reason: 'the connection was closed before the answer', advice: UNKNOWN_OUTCOME },
	EPROTO: {
		reason: 'it does not speak HTTPS there',
		advice: `${CHECK_ADDRESS} It may have to begin with http:// instead of https://`,
	},
	ERR_INVALID_URL: NO_URL,
	// Every HTTP status is an answer, so this is a protocol other than HTTP.
	ERR_BAD_REQUEST: NO_URL,
	[SSRF_BLOCKED]: {
		reason: "n8n's SSRF protection does not permit this address",
		advice:
			"Ask the administrator of n8n to add the server's host to N8N_SSRF_ALLOWED_HOSTNAMES, or its IP address to N8N_SSRF_ALLOWED_IP_RANGES.",
	},
};

/** Failures that need correcting; all others may pass by themselves. */
const LASTING = ['ENOTFOUND', 'EPROTO', 'ERR_INVALID_URL', 'ERR_BAD_REQUEST', SSRF_BLOCKED];

const CERTIFICATE: Explanation = {
	reason: 'its certificate is not trusted',
	advice:
		'Give the server a trusted certificate, or add Ignore SSL Issues in the Settings of each Beckon node, under Request Options.',
};

/**
 * Explains an error thrown by n8n's request helper. It wraps the system's error, which holds the
 * request with its key, so only the code is taken from it.
 * @returns undefined for an error without a code, which does not come from the connection
 */
export function connectionFailure(error: unknown, baseUrl: string): ConnectionFailure | undefined {
	const code = codeIn(error);
	if (code === undefined) return undefined;
	const unknown = { reason: code, advice: CHECK_ADDRESS };
	const { reason, advice } = EXPLANATIONS[code] ?? (isCertificate(code) ? CERTIFICATE : unknown);
	const proxy = proxyIn(error, baseUrl);
	const goal = proxy ? `proxy at ${proxy}` : `Beckon server at ${withoutSecrets(baseUrl)}`;
	const isLasting = LASTING.includes(code) || isCertificate(code);
	return {
		code,
		message: `Could not reach the ${goal}: ${reason}`,
		advice: proxy ? CHECK_PROXY : advice,
		failure: { cause: isLasting ? 'configuration-invalid' : 'temporarily-unavailable' },
	};
}

const isCertificate = (code: string) => /CERT|SIGNATURE/.test(code);

/**
 * The address of the failed connection, if it was not the server's. It must be a proxy, since redirects are not followed;
 * the environment of n8n, which may name one, cannot be read.
 * @returns undefined even for a proxy, if it has the server's port
 */
function proxyIn(error: unknown, baseUrl: string): string | undefined {
	const system = causesOf(error).find(({ address, hostname }) => address ?? hostname);
	if (!system) return undefined;
	const { address, hostname: host = address, port } = system;
	const server = new URL(baseUrl);
	const ports = { 'http:': 80, 'https:': 443 }[server.protocol];
	// A failed lookup has no port.
	const isServer = port ? port === Number(server.port || ports) : host === server.hostname;
	return isServer ? undefined : [host, port].filter(Boolean).join(':');
}

/** A password may have any characters, even those that make the URL invalid, which may lack its scheme, too. */
export function withoutSecrets(url: string): string {
	return url.replace(/^([a-z\d+.-]+:\/\/)?.*@/i, '$1').replace(/[?#].*$/, '');
}
