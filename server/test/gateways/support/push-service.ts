import {
	createDecipheriv,
	createECDH,
	createPublicKey,
	type ECDH,
	hkdfSync,
	randomBytes,
} from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';
import { readJwt } from './jwt.ts';

/** A browser's side of a subscription. */
interface Browser {
	ecdh: ECDH;
	auth: Buffer;
}

export interface Received {
	/** The browser: the last part of its endpoint. */
	id: string;
	headers: http.IncomingHttpHeaders;
	/** The decrypted message, parsed as JSON. */
	message: any;
	bytes: number;
	at: number;
}

export type PushFault =
	{ status: number; retryAfter?: string; location?: string } | 'cut connection' | 'silence';

/** A local push service (RFC 8030) that decrypts messages as the browser would (RFC 8291). */
export class PushService {
	readonly received: Received[] = [];
	/** Mistakes in requests; there should be none. */
	readonly mistakes: string[] = [];
	/** `read` decrypts the message. */
	fault: ((id: string, bytes: number, read: () => any) => PushFault | undefined) | undefined;
	onReceived: ((received: Received) => void) | undefined;
	/** Skips decryption and keeps no messages: for measurements. */
	countOnly = false;
	count = 0;
	/** As browsers know it; it listens at 127.0.0.1. */
	host = '127.0.0.1';
	/** Milliseconds since 1970; the sender's clock. */
	now = () => Date.now();
	readonly #browsers = new Map<string, Browser>();
	readonly #goodTokens = new Set<string>();
	readonly #certificate: Certificate | undefined;
	#server: http.Server | undefined;
	#port = 0;

	/** With a certificate it speaks TLS, as all push services do. */
	constructor(certificate?: Certificate) {
		this.#certificate = certificate;
	}

	get origin(): string {
		return `${this.#certificate ? 'https' : 'http'}://${this.host}:${this.#port}`;
	}

	async listen(): Promise<void> {
		const listener = (request: http.IncomingMessage, response: http.ServerResponse) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => this.#answer(request, response, Buffer.concat(chunks)));
			request.on('error', () => undefined);
		};
		const { key, cert } = this.#certificate ?? {};
		const server = key
			? https.createServer({ key: key.export({ type: 'pkcs8', format: 'pem' }), cert }, listener)
			: http.createServer(listener);
		server.keepAliveTimeout = 60_000;
		this.#server = server;
		await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
		this.#port = (server.address() as AddressInfo).port;
	}

	async close(): Promise<void> {
		const server = this.#server;
		if (!server) return;
		const closed = new Promise((resolve) => server.close(resolve));
		server.closeAllConnections();
		await closed;
	}

	/** Subscribes a browser. @returns the subscription to register with the server */
	subscribe(id: string): { endpoint: string; keys: { p256dh: string; auth: string } } {
		const ecdh = createECDH('prime256v1');
		ecdh.generateKeys();
		const auth = randomBytes(16);
		this.#browsers.set(id, { ecdh, auth });
		const keys = { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') };
		return { endpoint: `${this.origin}/push/${id}`, keys };
	}

	/** The next request meets the fault; the others are taken. */
	failOnce(fault: PushFault): void {
		this.fault = () => {
			this.fault = undefined;
			return fault;
		};
	}

	receivedBy(id: string): Received[] {
		return this.received.filter((received) => received.id === id);
	}

	#answer(request: http.IncomingMessage, response: http.ServerResponse, body: Buffer): void {
		const id = request.url?.split('/').at(-1) ?? '';
		const browser = this.#browsers.get(id);
		const read = () => browser && JSON.parse(decrypt(body, browser));
		const fault = this.fault?.(id, body.length, read);
		if (fault === 'silence') return;
		if (fault === 'cut connection') {
			request.socket.destroy();
			return;
		}
		if (fault) {
			if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
			if (fault.location !== undefined) response.setHeader('location', fault.location);
			response.writeHead(fault.status).end();
			return;
		}
		if (!browser) {
			response.writeHead(410).end();
			return;
		}
		this.count += 1;
		try {
			this.#checkHeaders(request.headers);
			if (body.length > 4_096) throw new Error(`a body of ${body.length} bytes`);
			const message = this.countOnly ? undefined : read();
			const received = {
				id,
				headers: request.headers,
				message,
				bytes: body.length,
				at: Date.now(),
			};
			if (!this.countOnly) this.received.push(received);
			this.onReceived?.(received);
			response.writeHead(201).end();
		} catch (error) {
			this.mistakes.push(String(error));
			response.writeHead(400).end();
		}
	}

	#checkHeaders(headers: http.IncomingHttpHeaders): void {
		if (headers['content-encoding'] !== 'aes128gcm') throw new Error('no aes128gcm');
		if (!/^\d+$/.test(headers['ttl'] as string)) throw new Error('no TTL');
		if (!/^(very-low|low|normal|high)$/.test(headers['urgency'] as string))
			throw new Error('a wrong Urgency');
		if (!/^[A-Za-z0-9_-]{1,32}$/.test((headers['topic'] as string | undefined) ?? 'none'))
			throw new Error('a wrong Topic');
		this.#checkVapid(headers.authorization ?? '');
	}

	/** RFC 8292: signed with the enclosed key, for this origin, for at most a day. */
	#checkVapid(authorization: string): void {
		if (this.#goodTokens.has(authorization)) return;
		const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? [];
		const jwt = readJwt(token);
		const point = Buffer.from(key, 'base64url');
		const publicKey = createPublicKey({
			format: 'jwk',
			key: {
				kty: 'EC',
				crv: 'P-256',
				x: point.subarray(1, 33).toString('base64url'),
				y: point.subarray(33).toString('base64url'),
			},
		});
		if (!jwt?.isSignedBy(publicKey)) throw new Error('a wrong VAPID signature');
		if (jwt.claims['aud'] !== this.origin) throw new Error('a wrong VAPID audience');
		const left = Number(jwt.claims['exp']) - this.now() / 1_000;
		if (!(left > 0 && left <= 86_400)) throw new Error(`a VAPID token valid for ${left} s`);
		this.#goodTokens.add(authorization);
	}
}

/** One record of aes128gcm (RFC 8188) with the keys of RFC 8291 section 3.4. */
function decrypt(body: Buffer, { ecdh, auth }: Browser): string {
	const salt = body.subarray(0, 16);
	const keyLength = body[20] ?? 0;
	const sender = body.subarray(21, 21 + keyLength);
	const sealed = body.subarray(21 + keyLength);
	const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
	const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
	const derive = (name: string, length: number) =>
		Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, length));
	const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
	decipher.setAuthTag(sealed.subarray(-16));
	const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
	const end = padded.lastIndexOf(2);
	return padded.subarray(0, end).toString();
}
