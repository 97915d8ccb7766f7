import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/store/schema.ts';
import { deviceClient } from '../../web/device/device-client.ts';
import { retryDelay } from '../../web/device/event-stream.ts';
import { acknowledger } from '../../web/device/session.ts';
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

/** The flood's own figures: milliseconds of its slowest push, and per mille of the deliveries. */
export const LAST_TOLD = 'until the last page was told';
export const ACKNOWLEDGED = 'acknowledged';

/** Connections for the acknowledgements of all pages: the other ends are not measured. */
const agent = new Agent({ keepAlive: true, maxSockets: 200 });
let acknowledged = 0;

/** Gives the phones of the open pages a subscription: without one, nothing depends on their acknowledgements. */
export async function subscribePages(db: Db, endpoint: string): Promise<void> {
	const keys = createECDH('prime256v1');
	const subscription = {
		endpoint,
		keys: {
			p256dh: keys.generateKeys('base64url'),
			auth: randomBytes(16).toString('base64url'),
		},
	};
	const phone = sql`cast(substr(id, length(${`dev_${ACCOUNT}_`}) + 1) as integer)`;
	await sql`update devices set push_subscription_json = ${JSON.stringify(subscription)}
		where account_id = ${`acc_${ACCOUNT}`} and ${phone} < ${sql.lit(PAGES)}`.execute(db);
}

/** Called with whatever a page receives. */
let onText: (text: Buffer) => void = () => undefined;
const pages: Array<{ destroy(): void }> = [];

/** A page's client, of which only acknowledgements are used. */
const clientOf = (url: string, token: string) =>
	deviceClient(async (path, { method = 'GET', body, headers }) => {
		const authorization = `Bearer ${token}`;
		const all = { ...(headers as Record<string, string>), authorization };
		const sent = request(`${url}/device${path}`, { agent, method, headers: all });
		sent.end(body as string | undefined);
		const [answer] = (await once(sent, 'response')) as [IncomingMessage];
		const read = await text(answer);
		if (answer.statusCode === 200)
			acknowledged += (JSON.parse(read) as { acknowledged: number }).acknowledged;
		return new Response(read, { status: answer.statusCode });
	});

function openPage(url: string, token: string): Promise<void> {
	return new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${token}` };
		const left = new AbortController();
		const acknowledge = acknowledger(clientOf(url, token), left.signal);
		const page = get(`${url}/device/events`, { agent: false, headers }, (answer) => {
			if (answer.statusCode !== 200) reject(new Error(`A page was answered ${answer.statusCode}`));
			answer.on('data', (text: Buffer) => {
				// The last event that a page gets on connecting: the server has nothing left to do for it.
				if (text.includes('event: notifications')) resolve();
				onText(text);
				for (const [, id] of text.toString().matchAll(/^id: (\d+)$/gm)) acknowledge(Number(id));
			});
			answer.on('error', () => undefined);
		});
		page.on('error', reject);
		pages.push(page, { destroy: () => left.abort() });
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
	let [slowest, pushes] = [0, 0];
	acknowledged = 0;
	while (!flood.isOver()) {
		pushes += 1;
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
	const end = performance.now() + LAST_MS;
	while (acknowledged < pushes * PAGES && performance.now() < end) await setTimeout(100);
	flood.measured(ACKNOWLEDGED, (acknowledged * 1_000) / (pushes * PAGES));
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
