import { Agent, get, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { keyOf, tokenOf } from '../api/seed.ts';
import { openPages, PUSH_TO_PAGES, pushToPages } from './open-pages.ts';
import {
	crowdPictures,
	fetchPictures,
	readNoAnswer,
	readNoDocument,
	readNoScript,
	readPictureSlowly,
	storePictures,
} from './unread-floods.ts';

export const CROWD = 'a crowd at 20 pictures';
export const SEARCHES = 'searches in a long history';

/** Floods from a bad client until it is told to stop; each is bounded, and stays on the loopback address. */
export const FLOODS = {
	'sign-ins': signIns,
	'event streams': eventStreams,
	'calls of one phone': calls,
	[SEARCHES]: searches,
	'slow heads and bodies': slowRequests,
	[PUSH_TO_PAGES]: pushToPages,
	'40 documents ahead, unread': readNoDocument,
	'1,100 scripts ahead, unread': readNoScript,
	'large answers, unread': readNoAnswer,
	'slow readers of a picture': readPictureSlowly,
	[CROWD]: crowdPictures,
	'downloads of a picture': fetchPictures,
} satisfies Record<string, Flood>;

export type FloodName = keyof typeof FLOODS;

/** Preparations that floods need before they begin. */
export const PREPARATIONS: Partial<Record<FloodName, (url: string) => Promise<void>>> = {
	[PUSH_TO_PAGES]: openPages,
	[CROWD]: storePictures,
};

interface FloodContext {
	url: string;
	isOver: () => boolean;
	/** Called with every answer. */
	count: (status: number | 'cut') => void;
	/** Called with a measurement that only this flood has. */
	measured: (what: string, value: number) => void;
}

type Flood = (context: FloodContext) => Promise<void>;

const JSON_TYPE = { 'content-type': 'application/json' };
const PHONE = { authorization: `Bearer ${tokenOf(0)}` };

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

function call(
	context: FloodContext,
	path: string,
	{ headers, body }: { headers: Record<string, string>; body?: object },
): Promise<void> {
	return new Promise((resolve) => {
		const method = body ? 'POST' : 'GET';
		const sent = request(`${context.url}${path}`, { agent, method, headers }, (answer) => {
			context.count(answer.statusCode ?? 0);
			answer.resume().once('close', resolve);
		});
		sent.once('error', () => {
			context.count('cut');
			resolve();
		});
		sent.end(body && JSON.stringify(body));
	});
}

/** Runs `count` clients, each of which sends again `pauseMs` after its last answer. */
async function clients(
	{ isOver }: FloodContext,
	count: number,
	pauseMs: number,
	work: (client: number) => Promise<void>,
): Promise<void> {
	await Promise.all(
		Array.from({ length: count }, async (_, client) => {
			await setTimeout((client / count) * pauseMs);
			while (!isOver()) {
				await work(client);
				await setTimeout(pauseMs);
			}
		}),
	);
}

/** As if from as many networks, through a trusted proxy. */
function signIns(context: FloodContext): Promise<void> {
	let tried = 0;
	return clients(context, 150, 500, () => {
		tried += 1;
		return call(context, '/console/api/login', {
			headers: {
				...JSON_TYPE,
				'x-forwarded-for': `10.${tried >> 16}.${(tried >> 8) & 255}.${tried & 255}`,
			},
			body: { email: `nobody-${tried}@example.com`, password: 'a guess' },
		});
	});
}

/** Thousands of streams of one phone, and pushes that would have to reach each of them. */
async function eventStreams(context: FloodContext): Promise<void> {
	const open = new Set<{ destroy(): void }>();
	await Promise.all([
		clients(context, 50, 100, async () => {
			await new Promise<void>((resolve) => {
				const sent = get(
					`${context.url}/device/events`,
					{ agent: false, headers: PHONE },
					(answer) => {
						context.count(answer.statusCode ?? 0);
						answer.resume().once('close', () => open.delete(sent));
						resolve();
					},
				);
				open.add(sent);
				sent.once('error', () => {
					open.delete(sent);
					resolve();
				});
			});
		}),
		clients(context, 1, 100, () =>
			call(context, '/api/push-notification', {
				headers: { ...JSON_TYPE, authorization: `Bearer ${keyOf(0)}` },
				body: { title: 'To every stream' },
			}),
		),
	]);
	for (const stream of open) stream.destroy();
}

function calls(context: FloodContext): Promise<void> {
	return clients(context, 50, 100, () => call(context, '/device/snapshot', { headers: PHONE }));
}

function searches(context: FloodContext): Promise<void> {
	return clients(context, 10, 50, () =>
		call(context, '/device/history?search=nowhere%20to%20be%20found', { headers: PHONE }),
	);
}

/** A thousand connections, half of them with a head that never ends, half with a body. */
async function slowRequests(context: FloodContext): Promise<void> {
	const { port } = new URL(context.url);
	const sockets = new Set<Socket>();
	const head = 'POST /console/api/login HTTP/1.1\r\nHost: x\r\n';
	const open = (client: number) => {
		// Not from the address of a trusted proxy, which may have all connections.
		const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.3' });
		socket.on('error', () => undefined);
		socket.once('close', () => {
			context.count('cut');
			sockets.delete(socket);
		});
		socket.resume();
		const isHead = client % 2 === 0;
		socket.write(isHead ? `${head}X-Slow: ` : `${head}Content-Length: 60000\r\n\r\n{`);
		sockets.add(socket);
	};
	for (let client = 0; client < 1_000; client += 1) open(client);
	while (!context.isOver()) {
		await setTimeout(200);
		for (const socket of sockets) socket.write('x');
		for (let client = sockets.size; client < 1_000; client += 1) open(client);
	}
	for (const socket of sockets) socket.destroy();
}
