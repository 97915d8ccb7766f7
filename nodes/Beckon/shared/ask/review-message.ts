import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import { OF_TEXTS } from '../../../shared/fields/bounds';

/** In an expression with other text, n8n turns this object into the words [object Object]. */
const TOOL_INPUT = /\{\{\s*\$tool\.parameters\s*\}\}/g;

const READABLE = '{{ JSON.stringify($tool.parameters) }}';

/**
 * The message of a question. As a human review of an agent's tool, n8n fills in a text that would hide what the tool is
 * about to get: the person who approves must see it.
 */
export const sendMessage = fillsBody('message', (read, context) => {
	const message = read.text('message', 'message');
	const readable = message === undefined ? undefined : withToolInput(context);
	return read.checked('message', readable ?? message, (text) => OF_TEXTS['message']?.(text ?? ''));
});

/** @returns undefined if the message does not contain the input of a tool */
function withToolInput(context: IExecuteSingleFunctions): string | undefined {
	const { message } = context.getNode().parameters;
	if (typeof message !== 'string' || message.search(TOOL_INPUT) < 0) return undefined;
	const expression = message.replace(/^=/, '').replace(TOOL_INPUT, READABLE);
	const shown = context.evaluateExpression(expression, context.getItemIndex());
	return typeof shown === 'string' ? shown : JSON.stringify(shown);
}
