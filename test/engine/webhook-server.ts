import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject } from 'n8n-workflow';

/** A request as n8n passes it to a node's webhook. */
export interface WebhookRequest {
	method: string;
	/** Includes the path and the query. */
	url: URL;
	headers: IncomingMessage['headers'];
	query: Record<string, string>;
	params: Record<string, string>;
	body: IDataObject;
}

/** The part of Express's response that nodes use. */
export class WebhookResponse {
	private readonly response: ServerResponse;

	constructor(response: ServerResponse) {
		this.response = response;
	}

	get isSent(): boolean {
		return this.response.writableEnded;
	}

	status(code: number): this {
		this.response.statusCode = code;
		return this;
	}

	setHeader(name: string, value: string): void {
		this.response.setHeader(name, value);
	}

	json(body: unknown): void {
		this.response.setHeader('content-type', 'application/json');
		this.response.end(JSON.stringify(body));
	}

	end(text = ''): void {
		this.response.end(text);
	}
}

/** As n8n parses a form: several values of one name are a list. */
function formIn(form: URLSearchParams | FormData): IDataObject {
	const valueOf = (name: string) => {
		const values = form.getAll(name) as string[];
		return values.length > 1 ? values : values[0];
	};
	return Object.fromEntries([...form.keys()].map((name) => [name, valueOf(name)]));
}

/** The body as n8n passes it on, by its content type. */
async function bodyOf(bytes: Buffer, contentType: string): Promise<IDataObject> {
	if (contentType.startsWith('multipart/form-data')) {
		// Discouraged for what strangers send; here only a test sends.
		const sent: { formData: () => Promise<FormData> } = new Response(new Uint8Array(bytes), {
			headers: { 'content-type': contentType },
		});
		return { data: formIn(await sent.formData()), files: {} };
	}
	const text = bytes.toString('utf8');
	if (contentType.startsWith('application/x-www-form-urlencoded'))
		return formIn(new URLSearchParams(text));
	return (text === '' ? {} : JSON.parse(text)) as IDataObject;
}

async function parsed(message: IncomingMessage, base: string): Promise<WebhookRequest> {
	const chunks: Buffer[] = [];
	for await (const chunk of message) chunks.push(chunk as Buffer);
	const url = new URL(message.url ?? '/', base);
	return {
		method: message.method ?? 'GET',
		url,
		headers: message.headers,
		query: Object.fromEntries(url.searchParams),
		params: {},
		body: await bodyOf(Buffer.concat(chunks), message.headers['content-type'] ?? ''),
	};
}

export type WebhookHandler = (request: WebhookRequest, response: WebhookResponse) => Promise<void>;

/** Listens on the loopback address, instead of n8n's own web server. */
export async function serveWebhooks(
	handle: WebhookHandler,
): Promise<{ url: string; close: () => Promise<void> }> {
	let url = '';
	const server = createServer((message, response) => {
		const answer = new WebhookResponse(response);
		parsed(message, url)
			.then(async (request) => await handle(request, answer))
			.catch((error: unknown) => {
				answer.status(500).json({ message: String(error) });
			});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		close: async () => {
			await new Promise((resolve) => {
				server.close(resolve);
				server.closeAllConnections();
			});
		},
	};
}
