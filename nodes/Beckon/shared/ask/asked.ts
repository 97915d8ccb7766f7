import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isObject } from '../../../../src/rules/answer';
import type { Choice } from './choices';
import type { Form } from './form-fields';
import { ROUND } from './round';

const ASKED = 'asked';

/** The parts of a question that its answer needs. */
export interface Asked {
	/** The server's. */
	id: string;
	choices: Choice[];
	form?: Form | undefined;
}

/**
 * Stores the question with the execution: when the answer arrives, `$now` is later and `$runIndex` is 0, so the same
 * expressions would give other labels than the phone shows. Holds no secret.
 */
export function keepAsked(context: IExecuteFunctions, asked: Asked): void {
	context.getContext('node')[ASKED] = asked;
}

/** The query of the called URL. */
export const queryOf = (context: IWebhookFunctions) => context.getQueryData() as IDataObject;

/** The question that the execution waits for; undefined if the called URL belongs to another one. */
export function askedBy(context: IWebhookFunctions): Asked | undefined {
	// A webhook can read what was kept only through an expression.
	const node = `$node[${JSON.stringify(context.getNode().name)}]`;
	const keptIn = (name: string): unknown =>
		context.evaluateExpression(`{{ ${node}.context["${name}"] }}`);
	const asked = keptIn(ASKED);
	const isCurrent = Number(queryOf(context)[ROUND]) === keptIn(ROUND);
	return isCurrent && isObject(asked) ? (asked as unknown as Asked) : undefined;
}

/**
 * What the workflow goes on with.
 * @param state of the question, as the API and callbacks tell it
 * @returns undefined if nobody has answered: it then goes on with its input
 */
export function dataOf({ choices }: Asked, { answer }: IDataObject): IDataObject | undefined {
	if (!isObject(answer)) return undefined;
	const { by, at, choice, text, fields } = answer as IDataObject;
	const { user = null, device = null } = (isObject(by) ? by : {}) as IDataObject;
	const responder = user === null ? null : { name: user, device };
	// Last, so that no field of a form takes their place.
	const who = { responder, respondedAt: at };
	if (isObject(fields)) return { ...(fields as IDataObject), ...who };
	if (choice === undefined) return { text, ...who };
	const chosen = choices.find(({ id }) => id === choice);
	const { approved } = chosen ?? {};
	return {
		...(approved !== undefined && { approved }),
		choice: chosen?.label ?? choice,
		user,
		device,
		...who,
	};
}
