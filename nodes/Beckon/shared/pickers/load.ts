import { NodeOperationError, type ILoadOptionsFunctions } from 'n8n-workflow';

import { readAccess } from '../../../../src/n8n/access';
import { sendOnce } from '../../../../src/n8n/send-once';
import { isObject, isSuccess } from '../../../../src/rules/answer';
import { isExpression } from '../../../shared/declared/expressions';
import { pageIn, pathOfPage, type Page } from '../../../shared/declared/pages';
import { readRequestOptions } from '../../../shared/declared/sending-options';
import { Refused, toNodeError } from '../../../shared/errors/errors';
import { FieldReader } from '../../../shared/fields/field-reader';
import { asSentence } from '../../../shared/fields/issues';

/** A list that the service offers (docs/api-decisions.md "Lists"). */
export interface List {
	/** The name of the list in the answer, and in sentences. */
	name: string;
	/** Its path, if it differs from its name. */
	path?: string;
	/** Advice for when the list cannot be loaded. */
	instead: string;
}

/**
 * One page of a list, for n8n's editor. It has an allowance of its own, so it is not paced.
 * @throws NodeOperationError whose message says in a sentence why there is no list, and what to do
 */
export async function loadPage(
	context: ILoadOptionsFunctions,
	list: List,
	after?: string,
): Promise<Page> {
	const { name, path = `/${name}` } = list;
	let baseUrl = '';
	try {
		({ baseUrl } = await readAccess(context));
		const options = readRequestOptions(createReader(context));
		const call = { method: 'GET', path: pathOfPage(path, after) } as const;
		const answer = await sendOnce(context, call, options);
		if (!isSuccess(answer) || !isObject(answer.body)) throw new Refused(answer);
		return pageIn(answer.body, name);
	} catch (cause) {
		throw unavailable(context, list, { cause, baseUrl });
	}
}

/** In the editor, expressions are not resolved: settings that need one are left out. */
function createReader(context: ILoadOptionsFunctions): FieldReader {
	return new FieldReader({
		valueOf: (parameter) => {
			const value = context.getCurrentNodeParameter(parameter);
			return isExpression(value) ? undefined : value;
		},
		timezone: context.getTimezone(),
	});
}

function unavailable(
	context: ILoadOptionsFunctions,
	{ name, instead }: List,
	{ cause, baseUrl }: { cause: unknown; baseUrl: string },
): NodeOperationError {
	const node = context.getNode();
	const { message, description } = toNodeError(cause, { node, itemIndex: 0, baseUrl });
	const sentences = [message, description].flatMap((reason) => (reason ? asSentence(reason) : []));
	const told = [`The ${name} could not be listed.`, ...sentences, instead];
	return new NodeOperationError(node, told.join(' '));
}
