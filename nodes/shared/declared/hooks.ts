import type { IDataObject, IExecuteSingleFunctions, PreSendAction } from 'n8n-workflow';

import { FieldReader } from '../fields/field-reader';
import type { Rule } from '../fields/rules';
import { setAt } from './plain-field';

/** A `preSend` hook, and its target: a property of the body, a placeholder of the url, or a header. */
export type Hook = PreSendAction & { readonly fills?: string };

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
export function fillsBody(
	property: string,
	valueOf: (read: FieldReader, context: IExecuteSingleFunctions) => unknown,
): Hook {
	return hook(property, async function (request) {
		const read = createReader(this);
		const value = await valueOf(read, this);
		read.assertValid();
		if (value !== undefined) setAt(request.body as IDataObject, property, value);
		return request;
	});
}

/** A hook that fills one placeholder of the url, such as `{key}`, with the text of a parameter. */
export function fillsPath(placeholder: string, parameter: string, rule: Rule<string>): Hook {
	return hook(`{${placeholder}}`, async function (request) {
		const read = createReader(this);
		const value = read.required(placeholder, read.text(placeholder, parameter, rule)) ?? '';
		read.assertValid();
		const url = request.url.replace(`{${placeholder}}`, encodeURIComponent(value));
		return { ...request, url };
	});
}

/** A hook that sends the text of a parameter as a header. */
export function fillsHeader(name: string, parameter: string, rule: Rule<string>): Hook {
	return hook(name, async function (request) {
		const read = createReader(this);
		const value = read.text(name, parameter, rule);
		read.assertValid();
		return value === undefined
			? request
			: { ...request, headers: { ...request.headers, [name]: value } };
	});
}

/** A hook that only checks: it reports the rules it finds broken, and fills nothing. */
export function checks(check: (read: FieldReader) => unknown): Hook {
	return async function (request) {
		const read = createReader(this);
		check(read);
		read.assertValid();
		return request;
	};
}

function hook(fills: string, action: PreSendAction): Hook {
	return Object.assign(action, { fills });
}
