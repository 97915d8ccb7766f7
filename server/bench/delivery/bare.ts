import { once } from 'node:events';
import type http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';

/** Runs `job` for 0 to count - 1, at most `open` at a time. */
export async function inParallel(
	count: number,
	open: number,
	job: (index: number) => Promise<unknown>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < count) await job(next++);
	};
	await Promise.all(Array.from({ length: open }, worker));
}

export interface BareApns {
	/** With the headers in an object, as commonly written. */
	send: (index: number) => Promise<void>;
	/** With the headers in a list of names and values, which node:http2 also accepts. */
	sendListed: (index: number) => Promise<void>;
	close: () => void;
}

/** The least Node must do to send pushes over HTTP/2: fixed headers, fixed bodies, two connections. */
export async function bareApns(
	origin: string,
	ca: string,
	headers: readonly string[],
	payload: string,
): Promise<BareApns> {
	const [first, second] = [http2.connect(origin, { ca }), http2.connect(origin, { ca })];
	await Promise.all([once(first, 'connect'), once(second, 'connect')]);
	const sessionOf = (index: number) => (index % 2 === 0 ? first : second);
	const finish = (stream: http2.ClientHttp2Stream) =>
		new Promise<void>((done, fail) => {
			stream.on('error', fail);
			stream.on('close', done);
			stream.resume();
			stream.end(payload);
		});
	const fields = Object.fromEntries(
		headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])),
	) as http2.OutgoingHttpHeaders;
	return {
		send(index) {
			const path = `/3/device/${tokenOf(index)}`;
			return finish(sessionOf(index).request({ ':method': 'POST', ':path': path, ...fields }));
		},
		sendListed(index) {
			const path = `/3/device/${tokenOf(index)}`;
			return finish(sessionOf(index).request([':method', 'POST', ':path', path, ...headers]));
		},
		close() {
			first.close();
			second.close();
		},
	};
}

/** The same over HTTP/1.1, with as many connections as the gateway has. */
export class BareWebPush {
	readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 100 });
	readonly #endpoint: string;
	readonly #headers: http.OutgoingHttpHeaders;

	constructor(endpoint: string, headers: http.OutgoingHttpHeaders) {
		this.#endpoint = endpoint;
		this.#headers = headers;
	}

	send(body: Buffer): Promise<void> {
		return new Promise((done, fail) => {
			const options = { method: 'POST', agent: this.#agent, headers: this.#headers };
			const request = https.request(this.#endpoint, options, (response) => {
				response.resume();
				response.once('end', done);
			});
			request.once('error', fail);
			request.end(body);
		});
	}

	close(): void {
		this.#agent.destroy();
	}
}

export function tokenOf(index: number): string {
	return (0xabc00000 + index).toString(16).padStart(64, '0');
}
