import { fastify, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { pino } from 'pino';

/** An app without routes, and the warnings that it logs, each a line of JSON. */
export function loggedApp(): { app: FastifyInstance; lines: string[] } {
	const lines: string[] = [];
	const loggerInstance: FastifyBaseLogger = pino(
		{ level: 'warn' },
		{ write: (line) => void lines.push(line) },
	);
	return { app: fastify({ loggerInstance, forceCloseConnections: true }), lines };
}
