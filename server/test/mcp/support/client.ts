import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** What clients speak: the library begins with one, and takes the answer. */
export const REVISIONS = [
	['2026-07-28', 'auto'],
	['2025-11-25', 'legacy'],
] as const;

export type Mode = (typeof REVISIONS)[number][1];

/** A client as agents have it, of the library that most of them use. */
export async function connectClient(url: string, key: string, mode: Mode): Promise<Client> {
	const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
	const requestInit = { headers: { authorization: `Bearer ${key}` } };
	await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
	return client;
}

/** A message as a program without a library sends it, in revision 2025-11-25 and older ones. */
export function olderMessage(method: string, params: object = {}) {
	const accept = 'application/json, text/event-stream';
	return { headers: { accept }, body: { jsonrpc: '2.0', id: 1, method, params } };
}

/** The same in revision 2026-07-28, which has no sessions: each message says who sends it. */
export function modernMessage(method: string, params: { name?: string; _meta?: object } = {}) {
	const { headers, body } = olderMessage(method, {
		...params,
		_meta: {
			...params._meta,
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
			'io.modelcontextprotocol/clientCapabilities': {},
		},
	});
	const name = params.name === undefined ? {} : { 'mcp-name': params.name };
	return {
		headers: { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name },
		body,
	};
}
