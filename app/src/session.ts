import type {
	DismissalRequest,
	PairRequest,
	Snapshot,
	TapRequest,
	TapResponse,
	TokensRequest,
} from '../../server/src/contract/device.ts';
import {
	DeviceError,
	deviceClient,
	pair,
	type SendRequest,
} from '../../server/web/device/device-client.ts';
import { inTurn } from '../../server/web/device/in-turn.ts';
import { sendEach } from '../../server/web/device/report-queue.ts';
import type { Stored } from '../../server/web/phone/storage.ts';

/** Texts that outlive the app. The pairing holds the phone's token: on an iPhone, the Keychain keeps it. */
export interface Store {
	get(key: string): Promise<string | null>;
	set(key: string, value: string | null): Promise<void>;
}

export interface Pairing {
	/** Distinguishes it from other pairings; unlike the token, it is not secret. */
	id: string;
	/** The server's address, without a slash at its end. */
	origin: string;
	token: string;
}

/** A report that the server must eventually get; a tap has its id, so repeating it calls nothing twice. */
type Report =
	{ call: 'POST /taps'; body: TapRequest } | { call: 'POST /dismissals'; body: DismissalRequest };

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
	cards: true,
	trends: true,
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
	readonly #client = deviceClient((path, init) => this.fetch(path, init));
	readonly #changing = inTurn();
	/** One at a time: two would report the same tap twice. */
	readonly #sending = inTurn();
	/** What was registered since the app started: a server restored from a backup may have lost earlier tokens. */
	#registered = '';

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	async pairing(): Promise<Pairing | undefined> {
		return this.#load<Pairing>('pairing');
	}

	/** Exchanges a code for a token, and ends an earlier pairing. @throws DeviceError */
	async pair(origin: string, request: Omit<PairRequest, 'platform'>): Promise<Pairing> {
		const reach: SendRequest = (path, init) => this.#reach(`${origin}/device${path}`, init);
		const { token } = await pair(reach, { ...request, platform: 'ios' });
		const pairing = { id: String(Date.now()), origin, token };
		const earlier = await this.pairing();
		if (earlier) await this.#leave(earlier);
		await this.forget();
		await this.#save('pairing', pairing);
		return pairing;
	}

	/**
	 * A request of the paired phone, to a path below /device.
	 * @throws DeviceError without a pairing, and if the server was not reached
	 */
	async fetch(path: string, init: RequestInit): Promise<Response> {
		const pairing = await this.pairing();
		if (!pairing) throw new DeviceError(401, 'This phone is not paired.');
		const { origin, token } = pairing;
		const headers = { ...init.headers, authorization: `Bearer ${token}` };
		const response = await this.#reach(`${origin}/device${path}`, { ...init, headers });
		if (response.status === 401) {
			await this.forget();
			this.#parts.onDisconnected();
		}
		return response;
	}

	/**
	 * Sends tokens that the server does not have yet, and all of them once after each start of the app. One that could not
	 * be sent is sent with the next, or by `catchUp`.
	 */
	async register(tokens: TokensRequest): Promise<void> {
		const wanted = { ...(await this.#load<TokensRequest>('tokens')), ...tokens };
		await this.#save('tokens', wanted);
		const text = JSON.stringify(wanted);
		if (text === this.#registered || text === '{}' || !(await this.pairing())) return;
		await this.#client.call('PUT /tokens', wanted);
		this.#registered = text;
	}

	/**
	 * Keeps a tap, then sends it.
	 * @param onKept called once it cannot be lost
	 * @throws DeviceError; unless the server refused it, it is sent again later
	 */
	async tap(body: TapRequest, onKept?: () => void): Promise<TapResponse> {
		const results = await this.#report({ call: 'POST /taps', body }, onKept);
		const result = results.get(body.tap_id);
		if (!result) throw new DeviceError(0, `${UNREACHED} Your answer is kept, and sent later.`);
		if (result instanceof DeviceError) throw result;
		return result;
	}

	async dismiss(body: DismissalRequest, onKept?: () => void): Promise<void> {
		await this.#report({ call: 'POST /dismissals', body }, onKept);
	}

	/** Sends the reports that are kept, and reads what the phone shows. @throws DeviceError */
	async catchUp(): Promise<Snapshot> {
		await this.#sendReports();
		await this.register({});
		return this.#client.call('GET /snapshot');
	}

	/** Disconnects from a server. If unreachable, it keeps sending until somebody removes the phone in its console. */
	async #leave({ origin, token }: Pairing): Promise<void> {
		const headers = { authorization: `Bearer ${token}` };
		await this.#reach(`${origin}/device/`, { method: 'DELETE', headers }).catch(() => undefined);
	}

	async forget(): Promise<void> {
		const ofPages = Object.keys(PAGE_KEYS).map(ofPage);
		for (const key of ['pairing', 'reports', ...ofPages]) await this.#parts.store.set(key, null);
		this.#registered = '';
	}

	async pageText(key: string): Promise<string | null> {
		return this.#parts.store.get(ofPage(key));
	}

	/** Keeps a text of the page while the phone is paired: afterwards, a closing page must not keep any more. */
	async keepForPage(key: string, text: string | null): Promise<void> {
		if (await this.pairing()) await this.#parts.store.set(ofPage(key), text);
	}

	async #report(report: Report, onKept = () => {}) {
		await this.#changeReports((reports = []) => [...reports, report]);
		onKept();
		return this.#sendReports();
	}

	#changeReports(change: (reports: Report[] | undefined) => Report[]): Promise<void> {
		return this.#changing(async () => this.#save('reports', change(await this.#load('reports'))));
	}

	/** @returns the outcomes of taps, by their id; those that were not sent have none */
	#sendReports(): Promise<Map<string, TapResponse | DeviceError>> {
		return this.#sending(async () => {
			const results = new Map<string, TapResponse | DeviceError>();
			const keep = ({ call, body }: Report, result: unknown) => {
				if (call === 'POST /taps') results.set(body.tap_id, result as TapResponse | DeviceError);
			};
			await sendEach<Report>({
				load: () => this.#load('reports'),
				change: (changed) => this.#changeReports(changed),
				send: async (report) =>
					keep(report, await this.#client.call(report.call, report.body as never)),
				onRefused: keep,
			});
			return results;
		});
	}

	async #reach(url: string, init: RequestInit): Promise<Response> {
		try {
			return await this.#parts.fetch(url, init);
		} catch (error) {
			if (init.signal?.aborted) throw error;
			throw new DeviceError(0, UNREACHED);
		}
	}

	async #load<T>(key: string): Promise<T | undefined> {
		const text = await this.#parts.store.get(key);
		return text === null ? undefined : (JSON.parse(text) as T);
	}

	#save(key: string, value: unknown): Promise<void> {
		return this.#parts.store.set(key, JSON.stringify(value));
	}
}
