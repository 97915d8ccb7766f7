import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a proxy does with a page's stream. */
export interface Through {
	/** Holds back bytes until there are this many, or the stream ends. */
	holds?: number;
	/** Milliseconds after which nothing of a stream passes any more, without an end that either side would see. */
	freezesAfter?: number;
	/** Milliseconds after which a stream is cut. */
	cutsAfter?: number;
	/** True if each stream comes to the server from another address. */
	moves?: boolean;
}

/**
 * A proxy in front of a server that may change its address. `through` names the fault in the page's stream, until
 * `restore`.
 */
export class StreamProxy {
	through: Through;
	readonly #target: () => string;
	readonly #server = http.createServer((request, response) => this.#pass(request, response));
	readonly #open = new Set<ServerResponse>();
	readonly #frozen = new WeakSet<ServerResponse>();
	#streams = 0;

	constructor(target: () => string, through: Through) {
		this.#target = target;
		this.through = through;
	}

	/** @returns its address */
	async listen(): Promise<string> {
		await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	/** Passes everything from now on; what hung is cut, as when a network is back. */
	restore(): void {
		this.through = {};
		for (const response of this.#open) response.destroy();
	}

	close(): void {
		this.#server.close();
		this.#server.closeAllConnections();
	}

	#pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
		const { method, headers, url = '/' } = incoming;
		const isStream = url.includes('/events');
		const localAddress =
			this.through.moves && isStream ? `127.0.0.${2 + (this.#streams += 1)}` : undefined;
		const options = { method, headers, agent: false, ...(localAddress && { localAddress }) };
		const forwarded = http.request(new URL(url, this.#target()), options, (answer) => {
			if (isStream) this.#stream(answer, outgoing);
			else answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers));
		});
		forwarded.on('error', () => outgoing.destroy());
		outgoing.on('close', () => {
			this.#open.delete(outgoing);
			// A frozen stream stays open at the server: its client is gone without a word.
			if (!outgoing.writableEnded && !this.#frozen.has(outgoing)) forwarded.destroy();
		});
		incoming.pipe(forwarded);
	}

	#stream(answer: IncomingMessage, outgoing: ServerResponse): void {
		const { holds = 0, freezesAfter, cutsAfter } = this.through;
		this.#open.add(outgoing);
		let held = Buffer.alloc(0);
		const flush = () => {
			if (!outgoing.headersSent) outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			outgoing.write(held);
			held = Buffer.alloc(0);
		};
		answer.on('data', (chunk: Buffer) => {
			held = Buffer.concat([held, chunk]);
			if (held.length >= holds) flush();
		});
		answer.on('end', () => {
			flush();
			outgoing.end();
		});
		answer.on('error', () => outgoing.destroy());
		if (cutsAfter !== undefined) setTimeout(() => outgoing.destroy(), cutsAfter).unref();
		if (freezesAfter !== undefined)
			setTimeout(() => {
				this.#frozen.add(outgoing);
				answer.pause();
			}, freezesAfter).unref();
	}
}
