import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Maximum number of connections; an idle one takes a few KiB. */
const MAX_CONNECTIONS = 20_000;

/** Open files reserved for the store, push services and webhooks. */
const RESERVED_FILES = 256;

/** Refused connections are logged at most this often. */
const LOG_EVERY_MS = 60_000;

const SWEEP_MS = 50;

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

export function mostConnections(limit = openFilesLimit()): number {
	if (limit === undefined) return MAX_CONNECTIONS;
	return Math.min(MAX_CONNECTIONS, Math.max(limit - RESERVED_FILES, Math.ceil(limit / 2)));
}

/**
 * Limits connections, so nobody can push the process to its limit of open files, where it could neither open
 * the store nor call a webhook. One client address gets at most half of them, unless it is a proxy.
 * @param isTrusted whether an address belongs to a proxy
 */
export function boundConnections(
	app: FastifyInstance,
	isTrusted: ((address: string) => boolean) | undefined,
	most = mostConnections(),
): void {
	const { server } = app;
	const byAddress = new Map<string, number>();
	let refused = 0;
	let loggedAt = -Infinity;
	const noteRefusal = () => {
		refused += 1;
		if (performance.now() - loggedAt < LOG_EVERY_MS) return;
		app.log.warn({ refused, most }, 'connections are refused: too many are open');
		loggedAt = performance.now();
		refused = 0;
	};
	server.maxConnections = most;
	server.on('drop', noteRefusal);
	server.on('connection', (socket) => {
		const address = socket.remoteAddress ?? '';
		const open = (byAddress.get(address) ?? 0) + 1;
		byAddress.set(address, open);
		socket.once('close', () => {
			const left = (byAddress.get(address) ?? 1) - 1;
			if (left > 0) byAddress.set(address, left);
			else byAddress.delete(address);
		});
		if (open <= most / 2 || isTrusted?.(address)) return;
		noteRefusal();
		socket.destroy();
	});
}

/**
 * On close, answers requests that have fully arrived and cuts every other connection at once: one whose request
 * is still arriving would delay the end for as long as its client likes.
 */
export function closeWithoutWaiting(app: FastifyInstance): void {
	const connections = new Map<Socket, Set<IncomingMessage>>();
	app.server.on('connection', (socket) => {
		connections.set(socket, new Set());
		socket.once('close', () => connections.delete(socket));
	});
	app.server.on('request', (request, response) => {
		const requests = connections.get(request.socket);
		requests?.add(request);
		response.once('close', () => requests?.delete(request));
	});
	const cut = () => {
		for (const [socket, requests] of connections)
			if (![...requests].some(({ complete }) => complete)) socket.destroy();
	};
	app.addHook('preClose', (done) => {
		if (app.server.listening) {
			const sweep = setInterval(cut, SWEEP_MS);
			app.server.once('close', () => clearInterval(sweep));
		}
		done();
	});
}
