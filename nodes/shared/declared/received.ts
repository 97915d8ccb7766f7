import type { IDataObject, IN8nHttpFullResponse, PostReceiveAction } from 'n8n-workflow';

import { isSuccess, type Answer } from '../../../src/answer';
import { Refused } from '../errors/errors';

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
