import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { keyOf } from '../api/seed.ts';

/** Another client than the second account: it calls from the address of a trusted proxy. */
const FROM = '127.0.0.3';

const PICTURE_BYTES = 2_000_000;

const OPEN_EVERY_MS = 200;

/** More than the server keeps in memory. */
const PICTURES = 20;

/** Addresses of a crowd. */
const ADDRESSES = 50;

/** Milliseconds after which a client of a crowd leaves, and another comes. */
const STAY_MS = 2_000;

interface Flood {
	url: string;
	isOver: () => boolean;
	count: (status: number | 'cut') => void;
}

/** Keeps this many connections open, each with all of its requests sent at once. */
async function flood(
	{ url, isOver, count }: Flood,
	{ connections, requests, path }: { connections: number; requests: number; path: string },
	read: (socket: Socket) => void = () => undefined,
): Promise<void> {
	const { port, host } = new URL(url);
	const sockets = new Set<Socket>();
	const text = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(requests);
	while (!isOver()) {
		while (sockets.size < connections) {
			const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: FROM });
			socket.pause().on('error', () => undefined);
			socket.once('close', () => {
				count('cut');
				sockets.delete(socket);
			});
			socket.write(text);
			sockets.add(socket);
		}
		for (const socket of sockets) read(socket);
		await setTimeout(OPEN_EVERY_MS);
	}
	for (const socket of sockets) socket.destroy();
}

export const readNoDocument = (context: Flood): Promise<void> =>
	flood(context, { connections: 400, requests: 40, path: '/api/openapi.json' });

/** More requests than a process may have files open. */
export async function readNoScript(context: Flood): Promise<void> {
	const page = await (await fetch(`${context.url}/console`)).text();
	const [path = ''] = /\/console\/assets\/index-[\w-]+\.js/.exec(page) ?? [];
	if (path === '') throw new Error('The console names no script: build the pages');
	await flood(context, { connections: 5, requests: 1_100, path });
}

/** The largest file that anybody may fetch. */
export const readNoAnswer = (context: Flood): Promise<void> =>
	flood(context, {
		connections: 1_000,
		requests: 8,
		path: '/api/docs/static/swagger-ui-bundle.js',
	});

async function storePicture(url: string): Promise<string> {
	const answer = await fetch(`${url}/api/images`, {
		method: 'POST',
		headers: { authorization: `Bearer ${keyOf(0)}`, 'content-type': 'image/jpeg' },
		body: Buffer.alloc(PICTURE_BYTES, Buffer.from([0xff, 0xd8, 0xff, 0xe0])),
	});
	if (!answer.ok) throw new Error(await answer.text());
	return new URL(((await answer.json()) as { url: string }).url).pathname;
}

/** Clients that read a picture slowly, some kilobytes a second each. */
export async function readPictureSlowly(context: Flood): Promise<void> {
	const path = await storePicture(context.url);
	await flood(context, { connections: 1_500, requests: 1, path }, (socket) => {
		const text = socket.read(4_096) as Buffer | null;
		const status = /^HTTP\/1\.1 (\d+)/.exec(text?.toString('latin1') ?? '')?.[1];
		if (status !== undefined) context.count(Number(status));
	});
}

/** Ten clients; each fetches the next picture as soon as it has one. */
export async function fetchPictures(context: Flood): Promise<void> {
	const path = await storePicture(context.url);
	await Promise.all(
		Array.from({ length: 10 }, async (_, client) => {
			const localAddress = `127.0.1.${client + 1}`;
			const agent = new Agent({ keepAlive: true, maxSockets: 1 });
			while (!context.isOver()) {
				await new Promise<void>((resolve) => {
					get(context.url + path, { agent, localAddress }, (answer) => {
						context.count(answer.statusCode ?? 0);
						answer.resume().once('close', resolve);
					}).once('error', () => {
						context.count('cut');
						resolve();
					});
				});
			}
			agent.destroy();
		}),
	);
}

const paths: string[] = [];

/** Call it before {@link crowdPictures}. */
export async function storePictures(url: string): Promise<void> {
	for (let n = 0; n < PICTURES; n += 1) paths.push(await storePicture(url));
}

/**
 * From many addresses: 300 clients that fetch pictures, some kilobytes a second each, 300 that send nothing, and 300
 * that read 64 bytes a second. The first of them leave after some time, and come again.
 */
export async function crowdPictures({ url, isOver, count }: Flood): Promise<void> {
	const { port, host } = new URL(url);
	const sockets = new Set<Socket>();
	const open = (client: number, bytesPerSecond: number, everyMs: number, stayMs: number) => {
		if (isOver()) return;
		const localAddress = `127.0.2.${(client % ADDRESSES) + 1}`;
		const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
		socket.pause().on('error', () => undefined);
		if (bytesPerSecond > 0)
			socket.write(`GET ${paths[client % PICTURES]} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
		const timer = setInterval(() => {
			const text = socket.read((bytesPerSecond * everyMs) / 1_000) as Buffer | null;
			const status = /^HTTP\/1\.1 (\d+)/.exec(text?.toString('latin1') ?? '')?.[1];
			if (status !== undefined) count(Number(status));
		}, everyMs);
		sockets.add(socket);
		const leave = globalThis.setTimeout(() => socket.destroy(), stayMs);
		socket.once('close', () => {
			clearInterval(timer);
			clearTimeout(leave);
			count('cut');
			sockets.delete(socket);
			globalThis.setTimeout(() => open(client, bytesPerSecond, everyMs, stayMs), OPEN_EVERY_MS);
		});
	};
	for (let client = 0; client < 300; client += 1) {
		open(client, 20_000, 200, STAY_MS + client);
		open(client, 0, 1_000, 60_000);
		open(client, 64, 1_000, 60_000);
	}
	while (!isOver()) await setTimeout(OPEN_EVERY_MS);
	for (const socket of sockets) socket.destroy();
}
