import { type Answered, type Sent, toRequest } from '../../server/src/contract/calls.ts';
import type { DeviceCalls } from '../../server/src/contract/device-calls.ts';
import type {
	DismissalRequest,
	PairRequest,
	Snapshot,
	TapRequest,
	TapResponse,
	TokensRequest,
} from '../../server/src/contract/device.ts';
import type { Stored } from '../../server/web/phone/storage.ts';
import { uuid } from './uuid.ts';

/** Texts that outlive the app. The pairing holds the phone's token: on an iPhone, the Keychain keeps it. */
export interface Store {
	get(key: string): Promise<string | null>;
	set(key: string, value: string | null): Promise<void>;
}

export interface Pairing {
	/** Tells it from others; unlike the token, it is no secret. */
	id: string;
	/** The server's address, without a slash at its end. */
	origin: string;
	token: string;
}

/** A report that the server must eventually get; a tap has its id, so repeating it calls nothing twice. */
type Report =
	{ call: 'POST /taps'; body: TapRequest } | { call: 'POST /dismissals'; body: DismissalRequest };

export interface RawAnswer {
	status: number;
	body: string;
}

/** A refusal in the server's words. `status` 0: it was not reached. */
export class CallError extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

const UNREACHED =
	'Could not reach the server. Check its address, the network, and whether this iPhone trusts its certificate.';

/** What the page stores. */
const PAGE_KEYS: Record<keyof Stored, true> = {
	token: true,
	saved: true,
	shown: true,
	reports: true,
	settings: true,
	history: true,
};

const ofPage = (key: string) => `page ${key}`;

interface Parts {
	store: Store;
	fetch: typeof fetch;
	/** Called once the server no longer knows this phone. */
	onDisconnected: () => void;
}

/** The phone's side of the device protocol, apart from its screens. */
export class Session {
	readonly #parts: Parts;
	/** One at a time: two would both send what is kept. */
	#sending: Promise<unknown> = Promise.resolve();
	/** One change of the kept reports at a time: two would overwrite each other. */
	#keeping: Promise<unknown> = Promise.resolve();

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	async pairing(): Promise<Pairing | undefined> {
		return this.#load<Pairing>('pairing');
	}

	/** Exchanges a code for a token, and forgets an earlier pairing. @throws CallError */
	async pair(origin: string, request: Omit<PairRequest, 'platform'>): Promise<Pairing> {
		const body = JSON.stringify({ ...request, platform: 'ios' });
		const answer = await this.#reach({ origin, token: '' }, '/pair', 'POST', body);
		const { token } = JSON.parse(answer) as { token: string };
		const pairing = { id: uuid(), origin, token };
		await this.forget();
		await this.#save('pairing', pairing);
		return pairing;
	}

	/** A call of the paired phone. @throws CallError */
	async call<Name extends keyof DeviceCalls>(
		name: Name,
		...sent: Sent<DeviceCalls[Name]>
	): Promise<Answered<DeviceCalls[Name]>> {
		const { method, path, body } = toRequest(name, sent);
		const text = body === undefined ? undefined : JSON.stringify(body);
		return JSON.parse(await this.raw(path, method, text)) as never;
	}

	/** A call of the paired phone, as text. @throws CallError */
	async raw(path: string, method: string, body?: string): Promise<string> {
		const pairing = await this.pairing();
		if (!pairing) throw new CallError(401, 'This phone is not paired.');
		try {
			return await this.#reach(pairing, path, method, body);
		} catch (error) {
			if (error instanceof CallError && error.status === 401) await this.#disconnected();
			throw error;
		}
	}

	/**
	 * Sends tokens that the server does not have yet, and remembers what it has. One that could not be sent is sent with
	 * the next, or by `catchUp`.
	 */
	async register(tokens: TokensRequest): Promise<void> {
		const wanted = { ...(await this.#load<TokensRequest>('tokens')), ...tokens };
		await this.#save('tokens', wanted);
		const known = await this.#load<TokensRequest>('known tokens');
		if (JSON.stringify(known) === JSON.stringify(wanted) || !(await this.pairing())) return;
		await this.call('PUT /tokens', wanted);
		await this.#save('known tokens', wanted);
	}

	/**
	 * Keeps a tap, then sends it.
	 * @param onKept called once it cannot be lost
	 * @throws CallError; unless the server refused it, it is sent again later
	 */
	async tap(body: TapRequest, onKept?: () => void): Promise<TapResponse> {
		const results = await this.#report({ call: 'POST /taps', body }, onKept);
		const result = results.get(body.tap_id);
		if (!result) throw new CallError(0, `${UNREACHED} Your answer is kept, and sent later.`);
		if (result instanceof CallError) throw result;
		return result;
	}

	async dismiss(body: DismissalRequest, onKept?: () => void): Promise<void> {
		await this.#report({ call: 'POST /dismissals', body }, onKept);
	}

	/** Sends what is kept, and reads what the phone shows. @throws CallError */
	async catchUp(): Promise<Snapshot> {
		await this.#sendReports();
		await this.register({});
		const snapshot = await this.call('GET /snapshot');
		await this.#save('snapshot', snapshot);
		return snapshot;
	}

	/** What the phone showed last: for widgets, and while the server is away. */
	async lastSnapshot(): Promise<Snapshot | undefined> {
		return this.#load<Snapshot>('snapshot');
	}

	/** Tells the server that the phone leaves. @throws CallError if it was not reached */
	async disconnect(): Promise<void> {
		await this.call('DELETE /').catch((error: unknown) => {
			if (!(error instanceof CallError) || error.status !== 401) throw error;
		});
		await this.forget();
	}

	async forget(): Promise<void> {
		const ofPages = Object.keys(PAGE_KEYS).map(ofPage);
		for (const key of ['pairing', 'reports', 'known tokens', 'snapshot', ...ofPages])
			await this.#parts.store.set(key, null);
	}

	async pageText(key: string): Promise<string | null> {
		return this.#parts.store.get(ofPage(key));
	}

	/** Keeps a text of the page as long as the pairing: a page that is about to go away keeps nothing more. */
	async keepForPage(key: string, text: string | null): Promise<void> {
		if (await this.pairing()) await this.#parts.store.set(ofPage(key), text);
	}

	async #disconnected(): Promise<void> {
		await this.forget();
		this.#parts.onDisconnected();
	}

	async #report(report: Report, onKept = () => {}) {
		await this.#changeReports((reports) => [...reports, report]);
		onKept();
		return this.#sendReports();
	}

	#changeReports(change: (reports: Report[]) => Report[]): Promise<void> {
		const changed = this.#keeping.then(async () =>
			this.#save('reports', change((await this.#load<Report[]>('reports')) ?? [])),
		);
		this.#keeping = changed.catch(() => undefined);
		return changed;
	}

	/** @returns the outcomes of taps, by their id; those that were not sent have none */
	#sendReports(): Promise<Map<string, TapResponse | CallError>> {
		const sent = this.#sending.then(() => this.#sendKept());
		this.#sending = sent.catch(() => undefined);
		return sent;
	}

	async #sendKept(): Promise<Map<string, TapResponse | CallError>> {
		const results = new Map<string, TapResponse | CallError>();
		for (;;) {
			const [report] = (await this.#load<Report[]>('reports')) ?? [];
			if (!report) return results;
			const tapId = report.call === 'POST /taps' ? report.body.tap_id : '';
			try {
				const answer: unknown = await this.call(report.call, report.body as never);
				results.set(tapId, answer as TapResponse);
			} catch (error) {
				if (!(error instanceof CallError)) throw error;
				const isRefused = error.status >= 400 && error.status < 500 && error.status !== 429;
				if (!isRefused) return results;
				results.set(tapId, error);
			}
			const sent = JSON.stringify(report);
			await this.#changeReports((kept) => kept.filter((one) => JSON.stringify(one) !== sent));
		}
	}

	async #reach(
		{ origin, token }: Omit<Pairing, 'id'>,
		path: string,
		method: string,
		body?: string,
	) {
		const headers = {
			...(token !== '' && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { 'content-type': 'application/json' }),
		};
		let response: Response;
		try {
			response = await this.#parts.fetch(`${origin}/device${path}`, { method, headers, body });
		} catch {
			throw new CallError(0, UNREACHED);
		}
		const text = await response.text();
		if (response.ok) return text;
		throw new CallError(
			response.status,
			messageIn(text) ?? `The server answered ${response.status}.`,
		);
	}

	async #load<T>(key: string): Promise<T | undefined> {
		const text = await this.#parts.store.get(key);
		return text === null ? undefined : (JSON.parse(text) as T);
	}

	#save(key: string, value: unknown): Promise<void> {
		return this.#parts.store.set(key, JSON.stringify(value));
	}
}

function messageIn(text: string): string | undefined {
	try {
		const { message } = JSON.parse(text) as { message?: unknown };
		return typeof message === 'string' ? message : undefined;
	} catch {
		return undefined;
	}
}
