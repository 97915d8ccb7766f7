import { type CallResponse, type Sent, toRequest } from '../../src/contract/calls.ts';
import type { DeviceCalls } from '../../src/contract/device-calls.ts';
import type { PairRequest, PairResponse } from '../../src/contract/device.ts';

/**
 * Repeated if the server was not reached: it knows a tap and an answer by its `tap_id`, and dismissing twice changes
 * nothing.
 */
const REPEATED: ReadonlyArray<keyof DeviceCalls> = [
	'POST /taps',
	'POST /questions/:question_id/answer',
	'POST /dismissals',
	'POST /notifications/clear',
	'POST /notifications/restore',
];

/** Milliseconds after which a call is given up. */
const CALL_TIMEOUT_MS = 10_000;
/** Additional milliseconds that a button's webhook may take. */
const TAP_TIMEOUT_MS = 10_000;

/** A refusal in the server's own words. `status` 0: the server could not be reached. */
export class DeviceError extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** The message for a person about a failed call. */
export function failureWords(failure: unknown): string {
	return failure instanceof DeviceError ? failure.message : 'Something went wrong. Try again.';
}

/** True if the token is no longer valid: this phone was disconnected. */
export function isDisconnected(error: unknown): boolean {
	return error instanceof DeviceError && error.status === 401;
}

const listeners = new Set<() => void>();

/** Calls back when a call has not reached the server. @returns a function that stops it */
export function onUnreached(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** Tells that the server seems out of reach: what looks connected may not be. */
export function tellUnreached(): void {
	listeners.forEach((listener) => listener());
}

/** Sends a request to a path below /device, with the phone's token if it has one. Rejects if nothing was reached. */
export type SendRequest = (path: string, init: RequestInit) => Promise<Response>;

/** Exchanges a pairing code for a token. The code is the proof, so `reach` sends no token. */
export function pair(reach: SendRequest, request: PairRequest): Promise<PairResponse> {
	return send(reach, 'POST /pair', request);
}

export type DeviceClient = ReturnType<typeof deviceClient>;

/** The calls of a paired phone, whose token `reach` sends. */
export function deviceClient(reach: SendRequest) {
	return {
		call: <Name extends keyof DeviceCalls>(name: Name, ...sent: Sent<DeviceCalls[Name]>) => {
			const attempt = () => send(reach, name, ...sent);
			return REPEATED.includes(name) ? retryUnreached(attempt) : attempt();
		},

		/** Opens the event stream, to be read with followEvents. */
		openEvents: async (after: number, signal: AbortSignal): Promise<Response> => {
			const accept = 'text/event-stream';
			const { path } = toRequest('GET /events', [{ after }]);
			return accepted(reach, path, { headers: { accept }, signal });
		},
	};
}

const RETRY_PAUSES = [500, 2000];

async function retryUnreached<T>(call: () => Promise<T>): Promise<T> {
	for (const pause of RETRY_PAUSES) {
		try {
			return await call();
		} catch (error) {
			if (!(error instanceof DeviceError) || error.status !== 0) throw error;
			await new Promise((resolve) => setTimeout(resolve, pause));
		}
	}
	return await call();
}

async function send<Name extends keyof DeviceCalls>(
	reach: SendRequest,
	name: Name,
	...sent: Sent<DeviceCalls[Name]>
): Promise<CallResponse<DeviceCalls[Name]>> {
	const { method, path, body } = toRequest(name, sent);
	// Not AbortSignal.timeout(), which the app's engine lacks.
	const limit = new AbortController();
	const timer = setTimeout(
		() => limit.abort(),
		CALL_TIMEOUT_MS + (name === 'POST /taps' ? TAP_TIMEOUT_MS : 0),
	);
	try {
		const response = await accepted(reach, path, {
			method,
			signal: limit.signal,
			...(body !== undefined && {
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			}),
		});
		return (await response.json()) as CallResponse<DeviceCalls[Name]>;
	} catch (error) {
		if (error instanceof DeviceError) throw error;
		tellUnreached();
		throw new DeviceError(0, 'Could not reach the server. Check your connection and try again.');
	} finally {
		clearTimeout(timer);
	}
}

/** @throws DeviceError unless the server accepts */
async function accepted(reach: SendRequest, path: string, init: RequestInit): Promise<Response> {
	const response = await reach(path, init);
	if (!response.ok) throw await refusal(response);
	return response;
}

async function refusal(response: Response): Promise<DeviceError> {
	const fallback = `The server answered with status ${response.status}.`;
	try {
		const body = (await response.json()) as { message?: unknown };
		return new DeviceError(
			response.status,
			typeof body.message === 'string' ? body.message : fallback,
		);
	} catch {
		return new DeviceError(response.status, fallback);
	}
}
