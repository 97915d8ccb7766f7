import type { INodeParameters, NodeApiError } from 'n8n-workflow';

import type { Bench } from './bench.ts';

/** A failed run as the user sees it; it must contain no key. */
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

/** Removes the panel's names: `Tags (tags[0]) must …` becomes the service's `tags[0] must …`. */
export const inServiceWords = (message: string) =>
	message.replace(/[A-Z][\w :→]*?(?: \(Seconds\))? \(([a-z_][\w.[\]]*)\)/g, '$1');

/** The service's reply to the same request, sent without a node. */
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
