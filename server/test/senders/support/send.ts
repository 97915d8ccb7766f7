import { UNLIMITED } from '../../support/samples.ts';
import { type Method, startTestServer, type TestServer } from '../../support/server.ts';

interface SendOptions {
	method?: Method;
	/** Sent as a bearer token. */
	key?: string;
	headers?: Record<string, string>;
	/** An object is sent as JSON. */
	body?: unknown;
	/** Client address as the server sees it. */
	from?: string;
}

/** A server whose phone is in the channel `ops`, and a sender key for that channel. */
export async function startWithKey(settings: Record<string, string> = UNLIMITED) {
	const server = await startTestServer({ settings });
	await server.addChannel('ops', { devices: [server.phone.id] });
	return { server, key: await server.addSenderKey(['ops']) };
}

/** A request as another program sends it, outside /api. */
export async function send(
	{ app }: TestServer,
	url: string,
	{ method = 'POST', key, headers = {}, body, from }: SendOptions = {},
) {
	const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
	const response = await app.inject({
		method,
		url,
		...(from !== undefined && { remoteAddress: from }),
		headers: {
			...(isObject && { 'content-type': 'application/json' }),
			...(key !== undefined && { authorization: `Bearer ${key}` }),
			...headers,
		},
		...(body !== undefined && { payload: isObject ? JSON.stringify(body) : body }),
	});
	return {
		status: response.statusCode,
		headers: response.headers,
		text: response.body,
		body: response.body === '' ? undefined : response.json(),
	};
}

export function basic(name: string, password: string): string {
	return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/** The newest notification on the first phone. */
export async function newest({ phone }: TestServer) {
	return (await phone.inbox()).at(-1);
}
