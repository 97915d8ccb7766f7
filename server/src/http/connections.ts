import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressSubject } from './limits.ts';
import { throttled } from '../log.ts';
import { Turns } from './turns.ts';

/** Maximum number of connections; an idle one takes a few KiB. */
const MAX_CONNECTIONS = 20_000;

/** Open files reserved for the store, push services and webhooks. */
const RESERVED_FILES = 256;

/**
 * Requests of one connection. Those sent ahead, without waiting for responses, wait for their turn;
 * beyond the second number, the connection is cut.
 */
const MAX_REQUESTS = { inProgress: 8, waiting: 1_000 };

const SWEEP_MS = 50;

/**
 * On close, a proxy that has opened a connection gets a second to send its request, which it cannot repeat. The second is
 * counted in sweeps, not by the clock: after a stall, requests that arrived meanwhile are still read.
 */
const SWEEPS_FOR_FIRST_REQUEST = 1_000 / SWEEP_MS;

/** The system's limit on this process's open files; undefined where it does not say. */
function openFilesLimit(): number | undefined {
	try {
		const [, soft] =
			/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
		return soft === undefined ? undefined : Number(soft);
	} catch {
		// Not Linux.
		return undefined;
	}
}

export function maxConnections(limit = openFilesLimit()): number {
	if (limit === undefined) return MAX_CONNECTIONS;
	return Math.min(MAX_CONNECTIONS, Math.max(limit - RESERVED_FILES, Math.ceil(limit / 2)));
}

/**
 * Limits connections, so no client can push the process to its limit of open files, where it could neither open
 * the store nor call a webhook. One client address gets at most half of them, unless it is a proxy.
 * @param isTrusted whether an address belongs to a proxy
 */
export function limitConnections(
	app: FastifyInstance,
	isTrusted: ((address: string) => boolean) | undefined,
	most = maxConnections(),
): void {
	const { server } = app;
	const byAddress = new Map<string, number>();
	const noteRefusal = throttled((refused) =>
		app.log.warn({ refused, most }, 'connections are refused: too many are open'),
	);
	server.maxConnections = most;
	server.on('drop', noteRefusal);
	server.on('connection', (socket) => {
		const address = addressSubject(socket.remoteAddress ?? '');
		const open = (byAddress.get(address) ?? 0) + 1;
		byAddress.set(address, open);
		socket.once('close', () => {
			const left = (byAddress.get(address) ?? 1) - 1;
			if (left > 0) byAddress.set(address, left);
			else byAddress.delete(address);
		});
		if (open <= most / 2 || isTrusted?.(socket.remoteAddress ?? '')) return;
		noteRefusal();
		socket.destroy();
	});
}

/**
 * Limits the requests of one connection that are in progress: Node.js starts all that have arrived.
 * @returns the requests of each connection
 */
export function limitRequests(app: FastifyInstance, most = MAX_REQUESTS): Turns<Socket> {
	return inTurn(app, new Turns<Socket>(most), ({ raw }) => raw.socket);
}

/**
 * Makes requests with the same subject wait for their turn, and cuts the connection of one for which there is no room.
 */
function inTurn<S extends object | string>(
	app: FastifyInstance,
	turns: Turns<S>,
	subjectOf: (request: FastifyRequest) => S,
): Turns<S> {
	app.addHook('onRequest', (request, { raw }, done) => {
		const { socket } = request.raw;
		const begin = () => {
			if (!socket.destroyed) done();
		};
		if (!turns.take(subjectOf(request), raw, begin)) socket.destroy();
	});
	return turns;
}

/** Requests for files of one client address. */
const MAX_FILES = { inProgress: 200, waiting: 10_000 };

/**
 * Begins requests that need no key one at a time, each in its own turn of the event loop, addresses alternating: a proxy
 * passes on hundreds at once, each on a separate connection, and even refusing them takes time.
 */
export function beginOneByOne(app: FastifyInstance): void {
	inTurn(app, new Turns<string>(MAX_FILES), ({ ip }) => addressSubject(ip));
}

/**
 * On close, responds to requests that have fully arrived and cuts every other connection: one whose request is still
 * arriving could delay the end for as long as its client likes. A new connection gets `SWEEPS_FOR_FIRST_REQUEST`.
 */
export function closeWithoutWaiting(app: FastifyInstance, turns: Turns<Socket>): void {
	const connections = new Set<Socket>();
	app.server.on('connection', (socket) => {
		connections.add(socket);
		socket.once('close', () => connections.delete(socket));
	});
	app.addHook('preClose', (done) => {
		if (app.server.listening) {
			let sweepsLeft = SWEEPS_FOR_FIRST_REQUEST;
			const cut = () => {
				sweepsLeft -= 1;
				for (const socket of connections) {
					const isComplete = turns.responses(socket).some(({ req }) => req.complete);
					if (!isComplete && !(sweepsLeft > 0 && socket.bytesWritten === 0)) socket.destroy();
				}
			};
			const sweep = setInterval(cut, SWEEP_MS);
			app.server.once('close', () => clearInterval(sweep));
		}
		done();
	});
}

/** Aborted once the client has hung up, even before this is called: authentication takes time. */
export function goneSignal({ raw, request }: FastifyReply): AbortSignal {
	const gone = new AbortController();
	if (raw.destroyed || request.socket.destroyed) gone.abort();
	raw.once('close', () => gone.abort());
	return gone.signal;
}
