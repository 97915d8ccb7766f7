import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import { OF_TEXTS } from '../../../shared/fields/bounds';
import { escaped, UNSEEN } from '../../../shared/fields/unseen';

/** They would push the rest out of sight. */
const SPACES = / {17,}/g;

/** In an expression with other text, n8n turns this object into the words [object Object]. */
const TOOL_INPUT = /\{\{\s*\$tool\.parameters\s*\}\}/g;

const READABLE = '{{ JSON.stringify($tool.parameters) }}';

/**
 * As the message of a human review of an agent's tool, n8n fills in a text that would hide what the tool is about to
 * get: the person who approves must see it, whole, so it is never cut.
 */
export const showToolInput = fillsBody('message', (read, context) => {
	const text = withToolInput(context);
	return text && read.checked('message', text, OF_TEXTS['message']);
});

/** @returns undefined if the message does not contain the input of a tool */
function withToolInput(context: IExecuteSingleFunctions): string | undefined {
	const { message } = context.getNode().parameters;
	if (typeof message !== 'string' || message.search(TOOL_INPUT) < 0) return undefined;
	const expression = message.replace(/^=/, '').replace(TOOL_INPUT, READABLE);
	const evaluated = (words: string) => context.evaluateExpression(words, context.getItemIndex());
	const shown = evaluated(expression);
	if (typeof shown !== 'string') return JSON.stringify(shown);
	const input = evaluated(READABLE);
	if (typeof input !== 'string') return shown;
	return shown.replaceAll(input, () => input.replace(UNSEEN, escaped).replace(SPACES, escaped));
}
