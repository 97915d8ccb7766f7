import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	PreSendAction,
} from 'n8n-workflow';

import { FieldReader } from '../fields/field-reader';
import type { Rule } from '../fields/rules';
import { setAt } from './plain-field';

/** A `preSend` hook, and its target: a property of the body, a placeholder of the url, or a header. */
export type Hook = PreSendAction & { readonly fills?: string | undefined };

/**
 * The reader of a hook. A hook reads only parameters and credentials, so it gives the same result under
 * n8n's own interpreter, whatever the order of the hooks.
 */
export function createReader(
	context: Pick<IExecuteSingleFunctions, 'getNodeParameter' | 'getTimezone'>,
): FieldReader {
	return new FieldReader({
		valueOf: (parameter) => context.getNodeParameter(parameter, null),
		timezone: context.getTimezone(),
	});
}

/**
 * A hook for a field that is more than a value: it fills one property of the body.
 * @param valueOf may read several fields, and return a promise; undefined leaves the property out
 */
export const fillsBody = (
	property: string,
	valueOf: (read: FieldReader, context: IExecuteSingleFunctions) => unknown,
): Hook =>
	hook(property, valueOf, (request, value) => {
		if (value !== undefined) setAt(request.body as IDataObject, property, value);
		return request;
	});

/** A hook that fills one placeholder of the url, such as `{key}`, with the text of a parameter. */
export function fillsPath(placeholder: string, parameter: string, rule: Rule<string>): Hook {
	const place = `{${placeholder}}`;
	return hook(
		place,
		(read) => read.required(placeholder, read.text(placeholder, parameter, rule)) ?? '',
		(request, value) => ({
			...request,
			url: request.url.replace(place, encodeURIComponent(value)),
		}),
	);
}

/** A hook that sends a header, unless its value is undefined. */
export const fillsHeader = (
	name: string,
	valueOf: (read: FieldReader) => string | number | undefined,
): Hook =>
	hook(name, valueOf, (request, value) =>
		value === undefined
			? request
			: { ...request, headers: { ...request.headers, [name]: String(value) } },
	);

/** A hook that only checks: it reports the rules it finds broken, and fills nothing. */
export const checks = (check: (read: FieldReader) => unknown): Hook =>
	hook(undefined, check, (request) => request);

/** @param fill puts the value into the request, if the parameters break no rule */
function hook<T>(
	fills: string | undefined,
	valueOf: (read: FieldReader, context: IExecuteSingleFunctions) => T,
	fill: (request: IHttpRequestOptions, value: Awaited<T>) => IHttpRequestOptions,
): Hook {
	const action: PreSendAction = async function (request) {
		const read = createReader(this);
		const value = await valueOf(read, this);
		read.assertValid();
		return fill(request, value);
	};
	return Object.assign(action, { fills });
}
