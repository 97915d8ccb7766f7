import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { fillsBody } from '../../../shared/declared/hooks';
import { OF_TEXTS } from '../../../shared/fields/bounds';
import { escaped, UNSEEN } from '../../../shared/fields/unseen';

/** Includes blanks and lines that would push the rest out of sight. */
const HIDING = new RegExp(`(?!\\n)(?:${UNSEEN.source})|\\s{17,}`, 'gmu');

/** An expression that contains the input that a tool is about to get. */
const TOOL_INPUT = /(\{\{(?:(?!\}\})[^])*\$tool\b(?:(?!\}\})[^])*\}\})/;

/**
 * In a human review of an agent's tool, the person who approves must see the tool's input whole and unchanged: such a
 * text is never cut, and n8n's own message would show [object Object] in its place.
 */
export const showsToolInput = (property: string) =>
	fillsBody(property, (read, context) => {
		const text = withToolInput(context.getNode().parameters[property], context);
		return text && read.checked(property, text, OF_TEXTS[property]);
	});

/** @returns undefined if the field does not contain the input of a tool */
function withToolInput(field: unknown, context: IExecuteSingleFunctions): string | undefined {
	if (typeof field !== 'string' || !TOOL_INPUT.test(field)) return undefined;
	const parts = field.replace(/^=/, '').split(TOOL_INPUT);
	const shown = parts.map((part, index) => {
		const value = (part && context.evaluateExpression(part, context.getItemIndex())) ?? '';
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return index % 2 === 0 ? text : text.replace(HIDING, escaped);
	});
	return shown.join('');
}
