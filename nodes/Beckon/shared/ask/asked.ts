import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
} from 'n8n-workflow';

import { isObject } from '../../../../src/rules/answer';
import { compact } from '../../../shared/fields/compact';
import { escaped } from '../../../shared/fields/unseen';
import type { Choice } from './choices';
import type { Form } from './form-fields';
import { ROUND } from './round';

const ASKED = 'asked';

/** The parts of a question that are needed to read its answer. */
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
	// A webhook can read stored data only through an expression, where a name must not contain braces or quotes.
	const name = context.getNode().name.replace(/\W/g, escaped);
	const node = `$node["${name}"]`;
	const keptIn = (key: string): unknown =>
		context.evaluateExpression(`{{ ${node}.context["${key}"] }}`);
	const asked = keptIn(ASKED);
	const isCurrent = Number(queryOf(context)[ROUND]) === keptIn(ROUND);
	return isCurrent && isObject(asked) ? (asked as unknown as Asked) : undefined;
}

/**
 * What the workflow continues with: the answer or, if nobody has answered, its input with the status added.
 * @param state of the question, as the API and callbacks tell it
 */
export function outputOf(
	asked: Asked,
	state: IDataObject,
	input: INodeExecutionData[],
): INodeExecutionData[] {
	const { delivery_details } = asked;
	const json = compact({ data: dataOf(asked, state), delivery_details });
	if (isObject(state['answer'])) return [{ json, pairedItem: { item: 0 } }];
	return input.map((item, index) => ({
		...item,
		json: { ...item.json, ...json },
		pairedItem: { item: index },
	}));
}

/** The person who answered; null without an answer, for a form, and for a default answer. */
export function responderIn(answer: unknown): IDataObject | null {
	const by = isObject(answer) && answer['by'];
	return isObject(by) ? ({ name: by['user'], device: by['device'] } as IDataObject) : null;
}

/** The same properties whatever happened, so that no expression needs to check whether they exist. */
function dataOf({ choices, form }: Asked, state: IDataObject): IDataObject {
	const answer = isObject(state['answer']) ? (state['answer'] as IDataObject) : undefined;
	const { at = null, by, choice, text = null, fields } = answer ?? {};
	const chosen = choices.find(({ id }) => id === choice);
	const isApproval = choices.some(({ approved }) => approved !== undefined);
	return {
		status: answer ? 'answered' : state['status'] === 'withdrawn' ? 'withdrawn' : 'expired',
		...(isApproval && { approved: chosen?.approved === true }),
		...(choices.length > 0 && { choice: chosen?.label ?? choice ?? null }),
		...(choices.length === 0 && !form && { text }),
		...(form && isObject(fields) && (fields as IDataObject)),
		// The deadline answered, not a person.
		...(by === 'deadline' && { by }),
		responder: responderIn(answer),
		respondedAt: at,
	};
}
