import {
	NodeOperationError,
	type IDataObject,
	type IN8nHttpFullResponse,
	type PostReceiveAction,
} from 'n8n-workflow';

import { isSuccess, readHeader, type Answer } from '../../../src/rules/answer';
import { Refused } from '../errors/errors';
import type { FieldReader } from '../fields/field-reader';
import { createReader } from './hooks';

/** A `postReceive` action that is a function. */
export type Received = Extract<PostReceiveAction, (...args: never[]) => unknown>;

const answerIn = ({ statusCode, headers, body }: IN8nHttpFullResponse): Answer => ({
	status: statusCode,
	headers,
	body,
});

/**
 * Lets only a success through.
 * @param whenNotFound advice for the user if the service does not know the named thing
 * @throws Refused
 */
export function successOnly(whenNotFound?: string): Received {
	return async (items, response) => {
		const answer = answerIn(response);
		if (!isSuccess(answer)) throw new Refused(answer, whenNotFound);
		return items;
	};
}

/**
 * Explains a refusal in the node's own words.
 * @param applies may read the parameters
 * @throws NodeOperationError with the sentence
 */
export function explained(
	applies: (answer: Answer, read: FieldReader) => boolean,
	sentence: string,
): Received {
	return async function (items, response) {
		if (applies(answerIn(response), createReader(this))) {
			throw new NodeOperationError(this.getNode(), sentence, { itemIndex: this.getItemIndex() });
		}
		return items;
	};
}

/** Omits fields of the response that only repeat others for older clients. */
export function without(...names: string[]): Received {
	return async (items) =>
		items.map(({ json, ...item }) => ({
			...item,
			json: Object.fromEntries(
				Object.entries<IDataObject[string]>(json).filter(([name]) => !names.includes(name)),
			),
		}));
}

/** Name of the option that `withDetails` reads. */
export const DETAILS = 'includeDetails';

const MEANING =
	'devices_notified, devices_updated and devices_queued count phones when the service answered: those whose push service took it, or whose delivery is stored or waits. Muted and quiet phones count, too. The history entry tells what became of it on each phone.';

export const wantsDetails = (read: FieldReader) =>
	read.flag(DETAILS, `options.${DETAILS}`) === true;

/** Adds the id of the history entry and the meaning of the counts, if the option asks for them. */
export const withDetails: Received = async function (items, { headers }) {
	if (!wantsDetails(createReader(this))) return items;
	const history_id = readHeader(headers, 'beckon-history-id') ?? null;
	const delivery_details = { history_id, counts: MEANING };
	return items.map(({ json, ...item }) => ({ ...item, json: { ...json, delivery_details } }));
};
