import type { IDataObject, IExecuteSingleFunctions, PreSendAction } from 'n8n-workflow';

import { FieldReader } from '../field-reader';
import { setAt } from './plain-field';

/** A `preSend` hook, and what it writes: a property of the body, or a placeholder of the url. */
export type Hook = PreSendAction & { readonly fills?: string };

/**
 * What a hook reads of. It reads parameters and credentials and nothing else, so that it gives the same under n8n's
 * own interpreter, in any order of the hooks.
 */
export function readerOf(
	context: Pick<IExecuteSingleFunctions, 'getNodeParameter' | 'getTimezone'>,
): FieldReader {
	return new FieldReader({
		valueOf: (parameter) => context.getNodeParameter(parameter, null),
		timezone: context.getTimezone(),
	});
}

/**
 * A hook for a field that is more than a value: it fills one property of the body.
 * @param valueOf may read several fields, and give a promise; undefined leaves the property out
 */
export function fillsBody(
	property: string,
	valueOf: (read: FieldReader, context: IExecuteSingleFunctions) => unknown,
): Hook {
	return hook(property, async function (request) {
		const read = readerOf(this);
		const value = await valueOf(read, this);
		read.assertValid();
		if (value !== undefined) setAt(request.body as IDataObject, property, value);
		return request;
	});
}

/** A hook that fills one placeholder of the url, such as `{key}`. */
export function fillsPath(
	placeholder: string,
	valueOf: (read: FieldReader) => string | undefined,
): Hook {
	return hook(`{${placeholder}}`, async function (request) {
		const read = readerOf(this);
		const value = encodeURIComponent(valueOf(read) ?? '');
		read.assertValid();
		return { ...request, url: request.url.replace(`{${placeholder}}`, value) };
	});
}

/** A hook that only checks: what it reads broken is told, and nothing is filled. */
export function checks(check: (read: FieldReader) => unknown): Hook {
	return async function (request) {
		const read = readerOf(this);
		check(read);
		read.assertValid();
		return request;
	};
}

function hook(fills: string, action: PreSendAction): Hook {
	return Object.assign(action, { fills });
}
