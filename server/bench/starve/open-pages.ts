import { get, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { retryDelay } from '../../web/device/event-stream.ts';
import { keyOf, tokenOf } from '../api/seed.ts';

/** The account of the open pages. */
const ACCOUNT = 2;

/** What to seed for it. */
export const MANY_PHONES = { first: ACCOUNT, accounts: 1, phones: 10_000 };

export const PAGES = 5_000;

export const PUSH_TO_PAGES = 'one push to 5,000 open pages';

/** Pages opened at the same time. */
const AT_ONCE = 50;

const PUSH_EVERY_MS = 1_000;

/** Longest wait for the last page of the last push. */
const LAST_MS = 10_000;

/** The flood's own figure, in milliseconds, of its slowest push. */
export const LAST_TOLD = 'until the last page was told';

/** Called with whatever a page receives. */
let onText: (text: Buffer) => void = () => undefined;
const pages: Array<{ destroy(): void }> = [];

function openPage(url: string, token: string): Promise<void> {
	return new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${token}` };
		const page = get(`${url}/device/events`, { agent: false, headers }, (answer) => {
			if (answer.statusCode !== 200) reject(new Error(`A page was answered ${answer.statusCode}`));
			answer.on('data', (text: Buffer) => {
				resolve();
				onText(text);
			});
			answer.on('error', () => undefined);
		});
		page.on('error', reject);
		pages.push(page);
	});
}

/** Opens the pages, each of another phone, and waits until all are connected. */
export async function openPages(url: string): Promise<void> {
	const tokens = pageTokens();
	const openNext = async () => {
		for (let token = tokens.pop(); token !== undefined; token = tokens.pop())
			await openPage(url, token);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, openNext));
}

/** Cuts all pages, and waits until they have connected again, each after a delay as pages choose it. */
export async function reconnectPages(url: string): Promise<void> {
	closePages();
	const reconnect = async (token: string, failures = 0): Promise<void> => {
		await setTimeout(retryDelay(failures));
		await openPage(url, token).catch((error: unknown) => {
			// The connection was refused.
			if (error instanceof Error && 'code' in error) return reconnect(token, failures + 1);
			throw error;
		});
	};
	await Promise.all(pageTokens().map((token) => reconnect(token)));
}

function pageTokens(): string[] {
	const { first, phones } = MANY_PHONES;
	return Array.from({ length: PAGES }, (_, phone) => tokenOf(first * phones + phone));
}

export function closePages(): void {
	for (const page of pages.splice(0)) page.destroy();
}

/** Sends a push to all phones of the account every second, and measures when the last page was told of it. */
export async function pushToPages(flood: {
	url: string;
	isOver: () => boolean;
	count: (status: number) => void;
	measured: (what: string, value: number) => void;
}): Promise<void> {
	let slowest = 0;
	while (!flood.isOver()) {
		const began = performance.now();
		const title = `Push at ${began}`;
		const told = new Promise<void>((resolve) => {
			let left = PAGES;
			onText = (text) => {
				if (!text.includes(title)) return;
				left -= 1;
				if (left === 0) resolve();
			};
		});
		const timeUp = setTimeout(LAST_MS, undefined, { ref: false });
		flood.count(await pushToAll(flood.url, title));
		await Promise.race([told, timeUp]);
		slowest = Math.max(slowest, performance.now() - began);
		await setTimeout(Math.max(0, began + PUSH_EVERY_MS - performance.now()));
	}
	flood.measured(LAST_TOLD, slowest);
	closePages();
}

/** Sends a push to all phones of the account. @returns the status of the answer */
export function pushToAll(url: string, title: string): Promise<number> {
	return new Promise((resolve, reject) => {
		const headers = {
			authorization: `Bearer ${keyOf(ACCOUNT)}`,
			'content-type': 'application/json',
		};
		const sent = request(`${url}/api/push-notification`, { method: 'POST', headers }, (answer) => {
			answer.resume();
			resolve(answer.statusCode ?? 0);
		});
		sent.once('error', reject);
		sent.end(JSON.stringify({ title }));
	});
}
