import type { INodeParameters, NodeApiError } from 'n8n-workflow';

import type { Bench } from './bench.ts';

/** What the user sees of a failed run, in which no key may be found. */
export async function failureOf(
	bench: Bench,
	parameters: INodeParameters,
	options: { key?: string; items?: object[] } = {},
) {
	const run = await bench.run(parameters, options as never);
	expect(run.status).toBe('error');
	expect(JSON.stringify(run.run)).not.toContain(options.key ?? bench.key);
	const error = run.error as NodeApiError;
	const shown = `${error.message} ${error.description ?? ''}`;
	expect(shown).not.toMatch(/undefined|\[object/);
	return {
		message: error.message,
		description: error.description ?? '',
		status: error.httpCode,
		error,
	};
}

/** What the service says to the same request without a node between. */
export async function serviceSays(
	bench: Bench,
	path: string,
	body: object,
	{ key = bench.key, method = 'POST' } = {},
) {
	const response = await fetch(`${bench.server.baseUrl}${path}`, {
		method,
		headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return (await response.json()) as { error: string; message: string };
}
