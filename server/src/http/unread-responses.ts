import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { scheduleEvery } from '../regular-work.ts';
import { throttled } from '../log.ts';
import type { Turns } from './turns.ts';

/** Approximate memory of a request whose response waits for those before it. */
const REQUEST_BYTES = 4_096;

export interface UnreadBounds {
	/** A connection is cut when its client has taken less than this many bytes of what waits for it, in this time. */
	leastBytes: number;
	withinMs: number;
	/** Output of all connections together, in bytes, beyond which those with the most are cut. */
	mostBytes: number;
	sweepMs: number;
	now: () => number;
}

/** 1 KiB a second: a slow reader costs the system's memory, which it fills with up to some megabytes of a response. */
const BOUNDS: UnreadBounds = {
	leastBytes: 30 * 1_024,
	withinMs: 30_000,
	mostBytes: 64_000_000,
	sweepMs: 250,
	now: () => performance.now(),
};

/** Node's handle of a connection: no public property tells how much has left the process. */
interface Handle {
	/** Includes what is queued. */
	bytesWritten: number;
	/** Falls while a single large write is in progress. */
	writeQueueSize: number;
}

/** The bytes that the system has accepted for the client. */
function bytesTaken(socket: Socket): number {
	const { _handle: handle } = socket as Socket & { _handle?: Handle | null };
	return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** Cuts connections whose clients do not read their responses, before these fill the memory. */
export function cutUnread(
	app: FastifyInstance,
	turns: Turns<Socket>,
	bounds: Partial<UnreadBounds> = {},
): void {
	const { leastBytes, withinMs, mostBytes, sweepMs, now } = { ...BOUNDS, ...bounds };
	/** The bytes taken when output began to wait, or when enough was last taken, and the time of that. */
	const connections = new Map<Socket, { taken: number; since: number }>();
	const warn = throttled((cut) =>
		app.log.warn({ cut }, 'connections are cut: responses are not read'),
	);
	const cut = (socket: Socket) => {
		// With a reset, the system also drops what it holds.
		socket.resetAndDestroy();
		warn();
	};
	const unread = (socket: Socket) => {
		let bytes = socket.writableLength;
		for (const response of turns.responses(socket).slice(1))
			if (!response.socket) bytes += REQUEST_BYTES + response.writableLength;
		return bytes;
	};
	const sweep = () => {
		const time = now();
		let total = 0;
		for (const [socket, progress] of connections) {
			total += unread(socket);
			const taken = bytesTaken(socket);
			if (socket.writableLength === 0 || taken - progress.taken >= leastBytes) {
				progress.taken = taken;
				progress.since = time;
			} else if (time - progress.since >= withinMs) cut(socket);
		}
		if (total <= mostBytes) return;
		const most = [...connections.keys()].map((socket) => ({ socket, bytes: unread(socket) }));
		for (const { socket, bytes } of most.sort((a, b) => b.bytes - a.bytes)) {
			cut(socket);
			total -= bytes;
			if (total <= mostBytes) return;
		}
	};
	app.server.on('connection', (socket) => {
		connections.set(socket, { taken: 0, since: now() });
		socket.once('close', () => connections.delete(socket));
	});
	app.server.once('listening', () => {
		const sweeping = scheduleEvery(sweepMs, 'looking for unread responses', sweep, (err, what) =>
			app.log.error({ err }, `${what} failed`),
		);
		app.server.once('close', () => void sweeping.stop());
	});
}
