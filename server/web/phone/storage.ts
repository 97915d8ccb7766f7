import { del, get, set, update } from 'idb-keyval';
import type {
	Delivery,
	DismissalRequest,
	SnoozeRequest,
	TapRequest,
	TapResponse,
} from '../../src/contract/device.ts';
import type { PhoneAnswer, ShownQuestion } from '../../src/contract/questions.ts';
import type { LockScreenState } from '../device/lock-screen-state.ts';
import type { Trends } from '../device/trends.ts';

/** The data that the page and its service worker share in IndexedDB. */
export interface Stored {
	/** This phone's token: the worker cannot read the page's localStorage. */
	token: string;
	/** The last state, to show while there is no network. */
	saved: SavedState;
	/** Ids of deliveries shown by the worker, newest last. */
	shown: number[];
	/** Taps, answers and dismissals not yet reported to the server. */
	reports: Report[];
	settings: Settings;
	/** The newest entries of the history, to read while there is no network. */
	history: { at: number; entries: Delivery[] };
	/** For each card: what was typed, the outcome of taps, and what was seen; the last changed last. */
	cards: CardMemories;
	/** By metric: its last values, as this phone has seen them. */
	trends: Trends;
}

/** A system notification whose button was tapped, with the parts needed to show it again. */
export interface TappedNotification {
	title: string;
	icon: string;
	tag: string;
	actions: Array<{ action: string; title: string }>;
	data: unknown;
}

/** A report that the server must eventually receive. */
export type Report =
	| {
			kind: 'tap';
			request: TapRequest;
			title: string;
			notification?: TappedNotification | undefined;
	  }
	| {
			kind: 'answer';
			questionId: string;
			request: PhoneAnswer;
			title: string;
			/** Absent: tapped on the page. */
			notification?: TappedNotification | undefined;
	  }
	| { kind: 'dismissal'; request: DismissalRequest }
	| { kind: 'snooze'; request: SnoozeRequest };

/** What this phone remembers of a card, wherever it is on the screen, and after the page is closed. */
export interface CardMemory {
	/** Typed, and not sent yet. */
	draft?: string | undefined;
	tap?: RememberedTap | undefined;
	/** The person has touched it. */
	isSeen?: true;
}

/** The last tap on a card. */
export interface RememberedTap extends Pick<TapResponse, 'message' | 'answer'> {
	/** Its button: a number or name, as in the report of the tap, or the id of a choice. */
	button: string;
	title: string;
	/** `queued`: the server has not been reached yet; `pending`: it is being reached. */
	outcome: TapResponse['outcome'] | 'queued' | 'pending';
	/** The question as it was answered. */
	question?: ShownQuestion | undefined;
}

export type CardMemories = Readonly<Record<string, CardMemory>>;

export interface SavedState {
	token: string;
	at: number;
	state: LockScreenState;
}

/** The lowest level of a channel's messages that makes a sound on this phone; `none`: none does. */
export type SoundFrom = 'active' | 'time-sensitive' | 'critical' | 'none';

export interface Settings {
	/** Sounds of the page and of the worker's notifications. */
	sound: boolean;
	/** False: the person has turned notifications off here, whatever the browser allows. */
	push: boolean;
	/** By slug: those that make a sound from a higher level on, or none. */
	channelSounds?: Record<string, SoundFrom>;
	/** The person wants no reminder on the lock screen to allow notifications. */
	askedForPush: boolean;
}

export const DEFAULT_SETTINGS: Settings = { sound: true, push: true, askedForPush: false };

/** If the browser refuses storage (some private windows), what is kept lasts as long as the page. */
const unstored = new Map<string, unknown>();

export async function load<K extends keyof Stored>(key: K): Promise<Stored[K] | undefined> {
	try {
		return await get<Stored[K]>(key);
	} catch {
		return unstored.get(key) as Stored[K] | undefined;
	}
}

export async function save<K extends keyof Stored>(key: K, value: Stored[K]): Promise<void> {
	try {
		await set(key, value);
	} catch {
		// Refused, or no room.
		unstored.set(key, value);
	}
}

/** Reads, changes and writes in one transaction. */
export async function change<K extends keyof Stored>(
	key: K,
	changed: (value: Stored[K] | undefined) => Stored[K],
): Promise<void> {
	try {
		await update<Stored[K]>(key, changed);
	} catch {
		unstored.set(key, changed(unstored.get(key) as Stored[K] | undefined));
	}
}

export async function forget(...keys: Array<keyof Stored>): Promise<void> {
	for (const key of keys) {
		unstored.delete(key);
		try {
			await del(key);
		} catch {
			// See above.
		}
	}
}

export async function loadSettings(): Promise<Settings> {
	return { ...DEFAULT_SETTINGS, ...(await load('settings')) };
}

export function saveSettings(changes: Partial<Settings>): Promise<void> {
	return change('settings', (settings) => ({ ...DEFAULT_SETTINGS, ...settings, ...changes }));
}
