import { connect, type Socket } from 'node:net';
import type { Random } from './random.ts';

export interface WireAnswer {
	status: number;
	headers: Map<string, string>;
	body: Buffer;
}

/**
 * After this a connection hangs. Far above what an answer takes on a busy machine: up to nine passwords,
 * a third of a second of one core each, are checked one after the other (`service/passwords`).
 */
const ANSWER_LIMIT_MS = 300_000;

/** Many addresses of this machine, so closed connections take no port from new ones. */
export function localAddress(random: Random): string {
	return `127.0.0.${random.whole(2, 250)}`;
}

/** A keep-alive connection that sends bytes unchanged, and reads answers as a client would. */
export class Connection {
	readonly #port: number;
	readonly #localAddress: string;
	#socket: Socket | undefined;
	#received = Buffer.alloc(0);
	#waiting: { look: () => boolean; fail: (error: Error) => void } | undefined;

	constructor(port: number, address: string) {
		this.#port = port;
		this.#localAddress = address;
	}

	/**
	 * Sends a request and reads its answer.
	 * @returns undefined if the server closed the connection without one
	 */
	async ask(request: Buffer, method: string): Promise<WireAnswer | undefined> {
		const socket = this.#socket ?? this.#open();
		this.#received = Buffer.alloc(0);
		socket.write(request);
		const answer = await this.#read(socket, method);
		if (answer && (answer.headers.get('connection') === 'close' || isLong(answer.headers)))
			this.close();
		return answer;
	}

	close(): void {
		this.#socket?.destroy();
		this.#socket = undefined;
	}

	#open(): Socket {
		const socket = connect({
			port: this.#port,
			host: '127.0.0.1',
			localAddress: this.#localAddress,
		});
		socket.setNoDelay(true);
		socket.on('data', (data) => {
			this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
			this.#waiting?.look();
		});
		// A reset while the rest of a refused body was being sent; the bytes before it count.
		socket.on('error', () => socket.destroy());
		socket.on('close', () => {
			if (this.#socket === socket) this.#socket = undefined;
			this.#waiting?.look();
		});
		this.#socket = socket;
		return socket;
	}

	#read(socket: Socket, method: string): Promise<WireAnswer | undefined> {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(
				() => finish(() => reject(new Error(`No answer within ${ANSWER_LIMIT_MS} ms`))),
				ANSWER_LIMIT_MS,
			);
			const finish = (settle: () => void) => {
				clearTimeout(timer);
				this.#waiting = undefined;
				settle();
				return true;
			};
			const look = (): boolean => {
				try {
					const [answer] = parseAnswers(this.#received, method, socket.destroyed);
					if (answer) return finish(() => resolve(answer));
				} catch (error) {
					return finish(() => reject(error instanceof Error ? error : new Error(String(error))));
				}
				return socket.destroyed && finish(() => resolve(undefined));
			};
			this.#waiting = { look, fail: reject };
			look();
		});
	}
}

export interface Reply {
	bytes: Buffer;
	/** True if it was read to its end: a reset may have cut it. */
	isWhole: boolean;
}

/** Sends bytes on a separate connection, then nothing more. @returns everything that was received */
export function sendAndEnd(
	port: number,
	address: string,
	pieces: readonly Buffer[],
): Promise<Reply> {
	return new Promise((resolve, reject) => {
		const socket = connect({ port, host: '127.0.0.1', localAddress: address, allowHalfOpen: true });
		const received: Buffer[] = [];
		const timer = setTimeout(() => {
			reject(new Error(`The connection was not closed within ${ANSWER_LIMIT_MS} ms`));
			socket.destroy();
		}, ANSWER_LIMIT_MS);
		socket.on('data', (data) => {
			received.push(data);
			if (/content-type: text\/(event-stream|csv)/.test(data.toString('latin1'))) socket.destroy();
		});
		let isWhole = false;
		socket.on('error', () => socket.destroy());
		socket.on('end', () => {
			isWhole = true;
			socket.destroy();
		});
		socket.on('close', () => {
			clearTimeout(timer);
			resolve({ bytes: Buffer.concat(received), isWhole });
		});
		const send = async () => {
			for (const piece of pieces) {
				if (socket.destroyed) return;
				socket.write(piece);
				await new Promise((next) => setImmediate(next));
			}
			socket.end();
		};
		socket.once('connect', () => void send());
	});
}

const HEAD_END = '\r\n\r\n';

/**
 * The complete answers in these bytes (RFC 9112).
 * @throws if they are not HTTP
 */
export function parseAnswers(bytes: Buffer, method: string, isClosed: boolean): WireAnswer[] {
	const answers: WireAnswer[] = [];
	let rest = bytes;
	while (rest.length > 0) {
		const headEnd = rest.indexOf(HEAD_END);
		if (headEnd < 0) {
			if (isClosed) throw new Error(`The answer ends in its head: ${rest.toString('latin1')}`);
			break;
		}
		const [statusLine = '', ...lines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n');
		const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(statusLine)?.[1]);
		if (Number.isNaN(status)) throw new Error(`This is no status line: ${statusLine}`);
		const headers = new Map(
			lines.map((line) => {
				const colon = line.indexOf(':');
				if (colon < 1) throw new Error(`This is no header: ${line}`);
				return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
			}),
		);
		rest = rest.subarray(headEnd + HEAD_END.length);
		if (status < 200) continue;
		const read = readBody(rest, status, headers, method, isClosed);
		if (!read) break;
		answers.push({ status, headers, body: read.body });
		rest = read.rest;
	}
	return answers;
}

/** True for event streams, which never end, and for the whole history: the head must suffice. */
function isLong(headers: Map<string, string>): boolean {
	return /^text\/(event-stream|csv)/.test(headers.get('content-type') ?? '');
}

function readBody(
	bytes: Buffer,
	status: number,
	headers: Map<string, string>,
	method: string,
	isClosed: boolean,
): { body: Buffer; rest: Buffer } | undefined {
	const none = { body: Buffer.alloc(0), rest: bytes };
	if (method === 'HEAD' || status === 204 || status === 304) return none;
	if (isLong(headers)) return { body: Buffer.alloc(0), rest: Buffer.alloc(0) };
	if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes, isClosed);
	const length = headers.get('content-length');
	if (length === undefined) return isClosed ? { body: bytes, rest: Buffer.alloc(0) } : undefined;
	if (bytes.length < Number(length)) {
		if (isClosed) throw new Error(`The body has ${bytes.length} bytes instead of ${length}`);
		return undefined;
	}
	return { body: bytes.subarray(0, Number(length)), rest: bytes.subarray(Number(length)) };
}

function readChunks(bytes: Buffer, isClosed: boolean): { body: Buffer; rest: Buffer } | undefined {
	const chunks: Buffer[] = [];
	let rest = bytes;
	for (;;) {
		const lineEnd = rest.indexOf('\r\n');
		const size = lineEnd < 0 ? NaN : parseInt(rest.subarray(0, lineEnd).toString('latin1'), 16);
		if (Number.isNaN(size) || rest.length < lineEnd + 2 + size + 2) {
			if (isClosed) throw new Error('The answer ends in a chunk');
			return undefined;
		}
		chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
		rest = rest.subarray(lineEnd + 2 + size + 2);
		if (size === 0) return { body: Buffer.concat(chunks), rest };
	}
}
