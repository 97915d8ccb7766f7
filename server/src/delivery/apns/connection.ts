import http2 from 'node:http2';

/** Milliseconds between pings on an idle connection, as Apple recommends, and the limit for their response. */
const PINGS = { everyMs: 60_000, limitMs: 10_000 };

export interface ApnsResponse {
	status: number;
	headers: http2.IncomingHttpHeaders;
	body: string;
}

/** A request without a response. */
export class ApnsFailure extends Error {
	/** True if the request was certainly never processed, so it can be resent immediately. */
	readonly isUnprocessed: boolean;

	constructor(message: string, isUnprocessed: boolean) {
		super(message);
		this.isUnprocessed = isUnprocessed;
	}
}

interface ConnectionOptions {
	/** `https://host:port` */
	origin: string;
	/** Certificate authorities in PEM, instead of the system's. */
	ca?: readonly string[] | undefined;
	pings?: typeof PINGS;
}

/** One HTTP/2 connection to APNs (RFC 9113). */
export class ApnsConnection {
	readonly #session: http2.ClientHttp2Session;
	readonly #pings: NodeJS.Timeout;
	#isUsable = true;
	#failure: Error | undefined;
	open = 0;

	constructor({ origin, ca, pings = PINGS }: ConnectionOptions) {
		this.#session = http2.connect(origin, { ...(ca && { ca: [...ca] }) });
		this.#session.on('error', (error: Error) => {
			this.#failure = error;
			this.#isUsable = false;
		});
		// Streams that the other end has accepted are finished; new ones go to another connection.
		this.#session.on('goaway', () => (this.#isUsable = false));
		this.#session.on('close', () => {
			this.#isUsable = false;
			clearInterval(this.#pings);
		});
		this.#pings = setInterval(() => this.#ping(pings.limitMs), pings.everyMs);
		this.#pings.unref();
	}

	get isUsable(): boolean {
		return this.#isUsable && !this.#session.closed && !this.#session.destroyed;
	}

	/**
	 * @param headers alternating names and values
	 * @throws ApnsFailure if no complete response arrived within `limitMs`
	 */
	request(headers: readonly string[], body: string, limitMs: number): Promise<ApnsResponse> {
		return new Promise((resolve, reject) => {
			let stream: http2.ClientHttp2Stream;
			try {
				stream = this.#session.request(headers);
			} catch (error) {
				// The connection ended after it was chosen.
				reject(new ApnsFailure(errorMessage(error), true));
				return;
			}
			this.open += 1;
			let response: ApnsResponse | undefined;
			let failure: Error | undefined;
			const limit = setTimeout(() => {
				failure = new Error(`APNs did not answer within ${limitMs / 1_000} s`);
				stream.close(http2.constants.NGHTTP2_CANCEL);
				if (this.#session.connecting) this.#session.destroy(failure);
			}, limitMs);
			stream.on('response', (received) => {
				const begun = { status: received[':status'] ?? 0, headers: received, body: '' };
				response = begun;
				// Only a refusal and the list of channels have a body.
				if (begun.status === 200 && !headers.includes('GET')) stream.resume();
				else stream.setEncoding('utf8').on('data', (chunk: string) => (begun.body += chunk));
			});
			stream.on('error', (error: Error) => (failure ??= error));
			stream.on('close', () => {
				clearTimeout(limit);
				this.open -= 1;
				if (response && stream.readableEnded) resolve(response);
				else {
					const isRefused = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM;
					reject(new ApnsFailure(errorMessage(failure ?? this.#failure), isRefused));
				}
			});
			// Node.js ends a GET or a DELETE by itself.
			if (stream.writable) stream.end(body);
		});
	}

	/** Ends once the open requests have; requests without a response are cut off by their own limit. */
	close(): void {
		this.#isUsable = false;
		this.#session.close();
	}

	#ping(limitMs: number): void {
		if (!this.isUsable) return;
		const limit = setTimeout(() => this.#session.destroy(), limitMs);
		limit.unref();
		this.#session.ping(() => clearTimeout(limit));
	}
}

function errorMessage(error: unknown): string {
	return error instanceof Error ? error.message : 'APNs closed the connection without an answer';
}
