import type { Preferences, PreferencesRequest } from '../../src/contract/preferences.ts';
import type { Quiet, QuietMuteRequest, QuietRequest } from '../../src/contract/quiet.ts';
import type {
	ClearResponse,
	DeviceChannels,
	DeviceHistory,
	DismissalRequest,
	PairRequest,
	PairResponse,
	PushSubscription as RegisteredSubscription,
	Snapshot,
	TapRequest,
	TapResponse,
	WebPushKey,
} from '../../src/contract/device.ts';

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

/** True if the token is no longer valid: somebody disconnected this phone. */
export function isDisconnected(error: unknown): boolean {
	return error instanceof DeviceError && error.status === 401;
}

/** Exchanges a pairing code for a token. The code is the proof, so no token is sent. */
export function pair(request: PairRequest): Promise<PairResponse> {
	return send<PairResponse>('POST', '/device/pair', { body: request });
}

/** Search conditions for the history; an empty one matches anything. */
export interface HistoryFilter {
	search: string;
	channel: string;
	tag: string;
	level: string;
}

export type DeviceClient = ReturnType<typeof deviceClient>;

/** The calls of a paired phone, all with its token. */
export function deviceClient(token: string) {
	return {
		snapshot: () => send<Snapshot>('GET', '/device/snapshot', { token }),

		/** Opens the event stream, to be read with followEvents. */
		openEvents: async (after: number, signal: AbortSignal): Promise<Response> => {
			const response = await reach(`/device/events?after=${after}`, {
				headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
				cache: 'no-store',
				signal,
			});
			if (!response.ok) throw await refusal(response);
			return response;
		},

		acknowledge: (deliveries: number[]) =>
			send<unknown>('POST', '/device/acknowledge', { token, body: { deliveries } }),

		/** Safe to repeat: the server calls a webhook once for each `tap_id`. */
		tap: (request: TapRequest) =>
			retryUnreached(() => send<TapResponse>('POST', '/device/taps', { token, body: request })),

		dismiss: (request: DismissalRequest) =>
			retryUnreached(() => send<unknown>('POST', '/device/dismissals', { token, body: request })),

		clearNotifications: (up_to: number) =>
			retryUnreached(() =>
				send<ClearResponse>('POST', '/device/notifications/clear', { token, body: { up_to } }),
			),

		restoreNotifications: (undo: string) =>
			retryUnreached(() =>
				send<unknown>('POST', '/device/notifications/restore', { token, body: { undo } }),
			),

		/** A page of entries older than `before` that fit the filter. */
		history: (filter: HistoryFilter, before?: number) => {
			const query = new URLSearchParams(
				Object.entries({ ...filter, before: before === undefined ? '' : String(before) }).filter(
					([, value]) => value !== '',
				),
			);
			return send<DeviceHistory>('GET', `/device/history?${query.toString()}`, { token });
		},

		channels: () => send<DeviceChannels>('GET', '/device/channels', { token }),

		mute: (slug: string, muted: boolean) =>
			send<unknown>('PUT', `/device/channels/${slug}`, { token, body: { muted } }),

		quiet: () => send<Quiet>('GET', '/device/quiet', { token }),

		setQuiet: (body: QuietRequest) => send<Quiet>('PUT', '/device/quiet', { token, body }),

		muteQuiet: (body: QuietMuteRequest) =>
			send<Quiet>('PUT', '/device/quiet/mute', { token, body }),

		setPreferences: (body: PreferencesRequest) =>
			send<Preferences>('PUT', '/device/preferences', { token, body }),

		webPushKey: () => send<WebPushKey>('GET', '/device/web-push-key', { token }),

		/** null: this browser has unsubscribed. */
		setSubscription: (push_subscription: RegisteredSubscription | null) =>
			send<unknown>('PUT', '/device/tokens', { token, body: { push_subscription } }),

		disconnect: () => send<unknown>('DELETE', '/device', { token }),
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

interface SendOptions {
	token?: string;
	body?: unknown;
}

async function send<T>(method: string, path: string, { token, body }: SendOptions): Promise<T> {
	const headers: Record<string, string> = {};
	if (token !== undefined) headers.authorization = `Bearer ${token}`;
	if (body !== undefined) headers['content-type'] = 'application/json';
	const response = await reach(path, {
		method,
		headers,
		body: body === undefined ? undefined : JSON.stringify(body),
		cache: 'no-store',
	});
	if (!response.ok) throw await refusal(response);
	return (await response.json()) as T;
}

async function reach(path: string, init: RequestInit): Promise<Response> {
	try {
		return await fetch(path, init);
	} catch (error) {
		if (init.signal?.aborted) throw error;
		throw new DeviceError(0, 'The server cannot be reached. Check the connection and try again.');
	}
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
