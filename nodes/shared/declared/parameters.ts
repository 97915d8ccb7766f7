import type { IExecuteFunctions } from 'n8n-workflow';

import { currentRun } from '../../../src/n8n/run';
import { hasExpression } from './expressions';
import { type FieldSource, valueAt } from '../fields/field-reader';

/**
 * The parameters of a node, by item. n8n is slow to return them, so each is read only once per item, as a whole, and
 * one without an expression only once for all items.
 */
export function createParameterReader(
	context: IExecuteFunctions,
): (itemIndex: number) => FieldSource {
	const given = context.getNode().parameters;
	const timezone = context.getTimezone();
	const ofAllItems = new Map<string, unknown>();

	return (itemIndex) => {
		const ofItem = new Map<string, unknown>();

		function parameter(name: string): unknown {
			const resolved = ofItem.has(name) ? ofItem : ofAllItems;
			if (resolved.has(name)) return resolved.get(name);
			const value: unknown = context.getNodeParameter(name, itemIndex, null);
			(hasExpression(given[name]) ? ofItem : ofAllItems).set(name, value);
			return value;
		}

		return {
			valueOf: (path) => {
				const [name = '', ...inside] = path.split('.');
				const value = parameter(name);
				return inside.length === 0 ? value : valueAt(value, inside.join('.'));
			},
			timezone,
			hint: (words) => currentRun(context).hints.add(words),
		};
	};
}
