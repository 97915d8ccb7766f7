import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { type Answer, StandInChannels } from './apns-channels.ts';
import { checkHeaders, checkPayload, checkToken, type Refused } from './apns-rules.ts';
import { type Certificate, selfSigned } from './certificate.ts';

interface Details {
	/** Seconds. */
	retryAfter?: number;
	/** The time since which the token is invalid, in milliseconds since 1970. */
	timestamp?: number;
}

/** A fault of the stand-in, instead of taking a request. */
export type Fault =
	| (Refused & Details)
	| { delayMs: number }
	/** Takes the request, and the answer is lost. */
	| 'reset after taking'
	| 'reset stream'
	| 'goaway'
	| 'cut connection'
	| 'silence';

export interface Taken {
	token: string;
	headers: http2.IncomingHttpHeaders;
	payload: any;
	/** Milliseconds since 1970. */
	at: number;
}

export interface ApnsStandInOptions {
	/** Counts taken requests without keeping them: for measurements. */
	countOnly?: boolean;
	now?: () => number;
	certificate?: Certificate;
}

export const BUNDLE_ID = 'com.example.beckon';
const KEY_ID = 'KEYID12345';
const TEAM_ID = 'TEAMID6789';

/** A local APNs: HTTP/2 with TLS, Apple's checks of token, headers and payload, and faults on demand. */
export class ApnsStandIn {
	/** Every request answered 200, in order of arrival. */
	readonly taken: Taken[] = [];
	/** Reasons for its own refusals, not counting faults. */
	readonly refusals: Refused[] = [];
	/** Tokens that are no longer valid. */
	readonly gone = new Set<string>();
	/** Channels over which phones get the updates of Live Activities. */
	readonly channels = new StandInChannels(BUNDLE_ID);
	/** Provider tokens seen so far. */
	readonly providerTokens = new Set<string>();
	fault: ((request: Taken) => Fault | undefined) | undefined;
	onTaken: ((request: Taken) => void) | undefined;
	count = 0;
	connections = 0;
	readonly #options: ApnsStandInOptions;
	readonly #certificate: Certificate;
	readonly #provider = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	readonly #sockets = new Set<Socket>();
	readonly #goodTokens = new Map<string, number>();
	#server: http2.Http2SecureServer | undefined;
	#port = 0;

	constructor(options: ApnsStandInOptions = {}) {
		this.#options = options;
		this.#certificate = options.certificate ?? selfSigned();
	}

	get url(): string {
		return `https://127.0.0.1:${this.#port}`;
	}

	/** Writes key and certificate into `directory`. @returns the settings of a server that sends here */
	settings(directory: string): Record<string, string> {
		const keyFile = join(directory, 'apns-key.p8');
		const caFile = join(directory, 'apns-ca.pem');
		writeFileSync(keyFile, this.#provider.privateKey.export({ type: 'pkcs8', format: 'pem' }));
		writeFileSync(caFile, this.#certificate.cert);
		return {
			BECKON_APNS_KEY_FILE: keyFile,
			BECKON_APNS_KEY_ID: KEY_ID,
			BECKON_APNS_TEAM_ID: TEAM_ID,
			BECKON_APNS_BUNDLE_ID: BUNDLE_ID,
			BECKON_APNS_CA_FILE: caFile,
			BECKON_APNS_URL: this.url,
			BECKON_APNS_SANDBOX_URL: this.url,
			BECKON_APNS_CHANNELS_URL: this.url,
			BECKON_APNS_SANDBOX_CHANNELS_URL: this.url,
		};
	}

	/** The next request meets the fault; the others are taken. */
	failOnce(fault: Fault): void {
		this.fault = () => {
			this.fault = undefined;
			return fault;
		};
	}

	/** Starts, or starts again on the same port. */
	async listen(): Promise<void> {
		const { key, cert } = this.#certificate;
		const server = http2.createSecureServer({
			key: key.export({ type: 'pkcs8', format: 'pem' }),
			cert,
			settings: { maxConcurrentStreams: 1_000 },
		});
		server.on('session', (session) => {
			this.connections += 1;
			session.on('error', () => undefined);
		});
		server.on('connection', (socket: Socket) => {
			this.#sockets.add(socket);
			socket.on('error', () => undefined);
			socket.on('close', () => this.#sockets.delete(socket));
		});
		server.on('sessionError', () => undefined);
		server.on('stream', (stream, headers) => {
			stream.on('error', () => undefined);
			const chunks: Buffer[] = [];
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			stream.on('end', () => {
				// A cut connection ends its streams too, even those that had partly arrived.
				if (!stream.aborted && !stream.destroyed && !stream.session?.destroyed)
					this.#answer(stream, headers, Buffer.concat(chunks).toString());
			});
		});
		this.#server = server;
		await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
		this.#port = (server.address() as AddressInfo).port;
	}

	/** Refuses connections from now on, and cuts open ones. */
	async close(): Promise<void> {
		const server = this.#server;
		if (!server) return;
		this.#server = undefined;
		const closed = new Promise((resolve) => server.close(resolve));
		for (const socket of this.#sockets) socket.destroy();
		await closed;
	}

	/** Payloads taken for a device token or a channel, oldest first. */
	takenFor(token: string): Taken[] {
		return this.taken.filter((request) => request.token === token);
	}

	/** What a phone with this push-to-start token got: starts, and broadcasts on the channels it listens to. */
	shownTo(startToken: string): Taken[] {
		return this.taken.filter(
			({ token }) => token === startToken || this.channels.open.get(token)?.has(startToken),
		);
	}

	#answer(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, text: string): void {
		const channel = headers['apns-channel-id'];
		const token = String(channel ?? (headers[':path'] ?? '').split('/').at(-1));
		const refused = this.#checkProvider(headers.authorization);
		const managed = refused ?? this.channels.manage(headers, text);
		if (managed && !('reason' in managed)) {
			respond(stream, managed);
			return;
		}
		const wrong = managed ?? this.#check(headers, token, text);
		if (wrong) {
			this.refusals.push(wrong);
			respond(stream, wrong);
			return;
		}
		if (this.#options.countOnly && !this.fault) {
			this.count += 1;
			this.onTaken?.({ token, headers, payload: undefined, at: Date.now() });
			stream.respond({ ':status': 200 }, { endStream: true });
			return;
		}
		const request: Taken = { token, headers, payload: JSON.parse(text), at: Date.now() };
		this.#carryOut(stream, request, this.fault?.(request));
	}

	#check(headers: http2.IncomingHttpHeaders, token: string, text: string): Refused | undefined {
		if (headers[':path']?.startsWith('/4/')) return this.channels.checkBroadcast(headers, text);
		return (
			checkHeaders(headers, BUNDLE_ID) ??
			checkPayload(String(headers['apns-push-type']), text) ??
			(this.gone.has(token) ? { status: 410, reason: 'Unregistered' } : undefined)
		);
	}

	#checkProvider(authorization: string | undefined): Refused | undefined {
		const now = (this.#options.now ?? Date.now)();
		// Checks a signature at most once a second, as every request has the same token.
		const checkedAt = this.#goodTokens.get(authorization ?? '');
		if (checkedAt !== undefined && Math.abs(now - checkedAt) < 1_000) return undefined;
		const rules = { key: this.#provider.publicKey, keyId: KEY_ID, teamId: TEAM_ID };
		const refused = checkToken(authorization, rules, now);
		if (!refused && authorization) {
			this.#goodTokens.set(authorization, now);
			this.providerTokens.add(authorization);
		}
		return refused;
	}

	#carryOut(stream: http2.ServerHttp2Stream, request: Taken, fault: Fault | undefined): void {
		if (fault === undefined) this.#take(stream, request);
		else if (fault === 'silence') return;
		else if (fault === 'reset stream') stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
		else if (fault === 'reset after taking') {
			this.#note(request);
			stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
		} else if (fault === 'cut connection') stream.session?.destroy();
		else if (fault === 'goaway') {
			stream.session?.goaway(http2.constants.NGHTTP2_NO_ERROR);
			this.#take(stream, request);
		} else if ('delayMs' in fault) {
			setTimeout(() => this.#take(stream, request), fault.delayMs).unref();
		} else respond(stream, fault);
	}

	#take(stream: http2.ServerHttp2Stream, request: Taken): void {
		if (stream.destroyed) return;
		this.#note(request);
		stream.respond({ ':status': 200 }, { endStream: true });
	}

	#note(request: Taken): void {
		this.count += 1;
		if (!this.#options.countOnly) this.taken.push(request);
		if (request.payload) this.channels.started(request.token, request.payload);
		this.onTaken?.(request);
	}
}

function respond(stream: http2.ServerHttp2Stream, answer: Answer | (Refused & Details)): void {
	if (stream.destroyed) return;
	if (!('reason' in answer)) {
		stream.respond({ ':status': answer.status, ...answer.headers });
		stream.end(answer.body && JSON.stringify(answer.body));
		return;
	}
	const { status, reason, retryAfter, timestamp } = answer;
	stream.respond({
		':status': status,
		...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
	});
	stream.end(JSON.stringify({ reason, timestamp }));
}
