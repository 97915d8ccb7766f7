import type { z } from 'zod';

/**
 * The input and response of a call. Path parameters, query and body are checked against their schemas; a call without
 * `response` responds with `{success: true}`.
 */
export interface Call {
	params?: z.ZodType;
	query?: z.ZodType;
	/** Those that the handler itself checks. */
	headers?: z.ZodType;
	body?: z.ZodType;
	response?: z.ZodType;
	/** The body is a picture instead of JSON. */
	takesPicture?: true;
	/** Its message may be long. */
	hasMessage?: true;
	/** The response stays open for events. */
	isStream?: true;
}

/** What a client sends with a call: its path parameter, if it has one, and its body or query. */
export type Sent<C extends Call> = [
	...(C extends { params: z.ZodType } ? [parameter: string] : []),
	...(C extends { body: infer S extends z.ZodType }
		? [body: z.input<S>]
		: C extends { query: infer S extends z.ZodType }
			? [query?: z.input<S> | URLSearchParams]
			: []),
];

/** The checked input of a call, as the server reads it. */
export interface Received<C extends Call> {
	params: C extends { params: infer S extends z.ZodType } ? z.output<S> : undefined;
	query: C extends { query: infer S extends z.ZodType } ? z.output<S> : undefined;
	body: C extends { body: infer S extends z.ZodType } ? z.output<S> : undefined;
}

/** The response to a call. */
export type CallResponse<C extends Call> = C extends { response: infer S extends z.ZodType }
	? z.output<S>
	: { success: true };

/** Objects, as agents may send them for a text, are refused by the call's own rule. */
const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A call as a request of HTTP; parts of a query that are undefined or null are left out. */
export function toRequest(call: string, sent: readonly unknown[]) {
	const [method = '', template = ''] = call.split(' ');
	const rest = [...sent];
	const path = template.replace(/:\w+/, () => encodeURIComponent(toText(rest.shift())));
	const [body] = rest;
	if (method !== 'GET') return { method, path, body };
	const parts =
		body instanceof URLSearchParams
			? [...body]
			: Object.entries(Object(body) as Record<string, unknown>);
	const search = new URLSearchParams();
	for (const [name, value] of parts)
		if (value !== undefined && value !== null) search.append(name, toText(value));
	const query = search.toString();
	return { method, path: query === '' ? path : `${path}?${query}` };
}
