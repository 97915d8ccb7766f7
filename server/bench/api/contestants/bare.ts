import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Load } from '../load/load.ts';
import type { BareRoute } from './bare-server.ts';
import type { Contestant } from './contestant.ts';
import { ANSWERS } from './answers.ts';
import { operationsOf } from './openapi.ts';

/**
 * The ceiling: ordinary Fastify in one process. It parses the body, checks it by the published JSON schema, and
 * serializes a fixed answer by the answer's schema. It stores and sends nothing.
 */
export async function startBare(openapi: unknown, keys: string[]): Promise<Contestant> {
	const routes = operationsOf(openapi).map(({ method, path, body, response }): BareRoute => ({
		method,
		path: `/api${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
		body,
		response,
		answer: ANSWERS[`${method} ${path}`] ?? {},
	}));
	const child = fork(join(import.meta.dirname, 'bare-server.ts'), { execArgv: ['--no-warnings'] });
	child.send(routes);
	const [{ url }] = (await once(child, 'message')) as [{ url: string }];
	const load = new Load({ url: `${url}/api`, keys });
	return {
		name: 'bare Fastify',
		load,
		async close() {
			load.close();
			const exited = once(child, 'exit');
			child.disconnect();
			await exited;
		},
	};
}
