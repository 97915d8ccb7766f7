import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
} from 'n8n-workflow';

import { isObject } from '../../../../src/rules/answer';
import { compact } from '../../../shared/fields/compact';
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
	/** What Include Delivery Details adds to the answer. */
	delivery_details?: IDataObject | undefined;
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
export function outputOf(asked: Asked, { answer }: IDataObject): INodeExecutionData[] | undefined {
	if (!isObject(answer)) return undefined;
	const { delivery_details } = asked;
	const json = compact({ data: dataOf(asked, answer as IDataObject), delivery_details });
	return [{ json, pairedItem: { item: 0 } }];
}

/** Who has answered; null for a form and a default answer. */
export function responderIn({ by }: IDataObject): IDataObject | null {
	return isObject(by) ? ({ name: by['user'], device: by['device'] } as IDataObject) : null;
}

function dataOf({ choices }: Asked, answer: IDataObject): IDataObject {
	const { at, choice, text, fields } = answer;
	const responder = responderIn(answer);
	// Last, so that no field of a form takes their place.
	const who = { responder, respondedAt: at };
	if (isObject(fields)) return { ...(fields as IDataObject), ...who };
	if (choice === undefined) return { text, ...who };
	const chosen = choices.find(({ id }) => id === choice);
	const { approved } = chosen ?? {};
	return {
		...(approved !== undefined && { approved }),
		choice: chosen?.label ?? choice,
		user: responder?.['name'] ?? null,
		device: responder?.['device'] ?? null,
		...who,
	};
}
