import { NodeOperationError, type ILoadOptionsFunctions } from 'n8n-workflow';

import { readAccess } from '../../../../src/n8n/access';
import { isUnknownPath } from '../../../shared/errors/advice';
import { isObject, isSuccess, refusalIn, type Answer } from '../../../../src/rules/answer';
import { connectionFailure } from '../../../../src/n8n/connection-failure';
import { explainRefusal } from '../../../shared/errors/explanation';
import { isExpression } from '../../../shared/declared/expressions';
import { FieldReader } from '../../../shared/fields/field-reader';
import { sendOnce } from '../../../../src/n8n/send-once';
import { readRequestOptions } from '../../../shared/declared/sending-options';

/** A list that a service with Beckon's additions offers (docs/api-decisions.md "Beckon's additions"). */
export interface List {
	path: string;
	/** The name of the list in the answer, and in sentences. */
	name: string;
	/** Advice for when the list cannot be loaded. */
	instead: string;
}

export interface Page {
	entries: Array<Record<string, unknown>>;
	next: string | undefined;
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
	const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
	const answer = await answerTo(context, list, `${list.path}${query}`);
	if (!isSuccess(answer)) throw unavailable(context, list, reasonIn(answer));
	const body = isObject(answer.body) ? answer.body : {};
	const entries: unknown = body[list.name];
	const { next } = body;
	return {
		entries: Array.isArray(entries) ? (entries as unknown[]).filter(isObject) : [],
		next: typeof next === 'string' ? next : undefined,
	};
}

async function answerTo(context: ILoadOptionsFunctions, list: List, path: string): Promise<Answer> {
	const { baseUrl } = await readAccess(context);
	const options = { ...readRequestOptions(createReader(context)), baseUrl };
	try {
		return await sendOnce(context, { method: 'GET', path }, options);
	} catch (error) {
		const failure = connectionFailure(error, baseUrl);
		const message = error instanceof Error ? error.message : String(error);
		throw unavailable(context, list, failure ? `${failure.message}. ${failure.advice}` : message);
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

function reasonIn(answer: Answer): string {
	const refusal = refusalIn(answer);
	if (answer.status === 404 && refusal && isUnknownPath(refusal)) {
		return 'This Beckon server does not offer them';
	}
	const { message, description } = explainRefusal(answer);
	return `${message} ${description}`;
}

function unavailable(
	context: ILoadOptionsFunctions,
	{ name, instead }: List,
	reason: string,
): NodeOperationError {
	const sentence = /[.!?)]$/.test(reason) ? reason : `${reason}.`;
	return new NodeOperationError(
		context.getNode(),
		`The ${name} could not be listed. ${sentence} ${instead}`,
	);
}
