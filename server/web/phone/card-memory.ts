import type { ShownQuestion } from '../../src/contract/questions.ts';
import { type CardMemories, type CardMemory, change, load, type RememberedTap } from './storage.ts';

/** The most cards remembered: enough for the recent past. */
const MAX_CARDS = 200;

const CHANNEL = 'beckon-cards';
const NOTHING: CardMemory = {};

let cards: CardMemories = {};
let isFollowed = false;
/** Number of unfinished writes: until they are done, what is stored is older than what is shown. */
let writing = 0;
const listeners = new Set<() => void>();

function show(next: CardMemories): void {
	cards = next;
	listeners.forEach((listener) => listener());
}

/** Remembers more of a card; undefined forgets. */
export async function remember(key: string, changes: Partial<CardMemory>): Promise<void> {
	const put = (all: CardMemories = {}): CardMemories => {
		const { [key]: before, ...others } = all;
		return Object.fromEntries([
			...Object.entries(others).slice(1 - MAX_CARDS),
			[key, { ...before, ...changes }],
		]);
	};
	show(put(cards));
	writing += 1;
	await change('cards', (stored) => {
		const next = put(stored);
		const tap = next[key]?.tap;
		// A page that is closed meanwhile leaves it to the next one.
		return tap?.outcome === 'pending'
			? { ...next, [key]: { ...next[key], tap: { ...tap, outcome: 'queued' } } }
			: next;
	});
	writing -= 1;
	if (!('BroadcastChannel' in globalThis)) return;
	const channel = new BroadcastChannel(CHANNEL);
	channel.postMessage(key);
	channel.close();
}

/** Shows a tap on a card without keeping it. */
export function showTap(key: string, tap: RememberedTap): void {
	show({ ...cards, [key]: { ...cards[key], tap } });
}

/** Taps that have not reached the server in time wait for a connection. @param key of one card; undefined: all */
export function stopWaiting(key?: string): void {
	const next = Object.entries(cards).map(([one, memory]): [string, CardMemory] => {
		const { tap } = memory;
		const isLate = tap?.outcome === 'pending' && (key ?? one) === one;
		return [one, isLate ? { ...memory, tap: { ...tap, outcome: 'queued' } } : memory];
	});
	show(Object.fromEntries(next));
}

/** Forgets all cards that are shown; the stored ones go with the phone's other data. */
export function forgetCards(): void {
	show({});
}

async function reload(): Promise<void> {
	const stored = await load('cards');
	if (writing > 0 || stored === undefined) return;
	const current = Object.entries(stored).map(([key, memory]): [string, CardMemory] => {
		const shown = cards[key];
		const isWaiting = shown?.tap?.outcome === 'pending' && memory.tap?.outcome === 'queued';
		return [key, isWaiting ? shown : memory];
	});
	show(Object.fromEntries(current));
}

/** Calls back when what is remembered changes. @returns a function that stops it */
export function onCardMemory(listener: () => void): () => void {
	listeners.add(listener);
	if (!isFollowed) {
		isFollowed = true;
		void reload();
		// Other pages of this phone and its worker also change it.
		if ('BroadcastChannel' in globalThis)
			new BroadcastChannel(CHANNEL).addEventListener('message', () => void reload());
	}
	return () => listeners.delete(listener);
}

/** What is remembered of all cards. */
export const cardMemories = (): CardMemories => cards;

/** What is remembered of a card. */
export const cardMemory = (key: string): CardMemory => cards[key] ?? NOTHING;

/** The question as this phone knows it: its own answer may be ahead of the server's events. */
export function asAnswered(
	question: ShownQuestion | undefined,
	{ tap }: CardMemory,
): ShownQuestion | undefined {
	return question?.status === 'open' ? (tap?.question ?? question) : question;
}
