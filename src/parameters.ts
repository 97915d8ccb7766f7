import type { IExecuteFunctions } from 'n8n-workflow';

import { isObject } from './answer';
import type { FieldSource } from './field-reader';

/**
 * The parameters of a node for one item. Each is resolved once, with everything inside it, however many
 * of its fields are read: n8n is slow at evaluating expressions.
 */
export function parametersOf(context: IExecuteFunctions, itemIndex: number): FieldSource {
	const resolved = new Map<string, unknown>();

	function parameter(name: string): unknown {
		if (!resolved.has(name)) {
			resolved.set(name, context.getNodeParameter(name, itemIndex, null));
		}
		return resolved.get(name);
	}

	return {
		valueOf: (path) => {
			const [name = '', ...inside] = path.split('.');
			return inside.reduce<unknown>(
				(value, key) => (isObject(value) ? value[key] : undefined),
				parameter(name),
			);
		},
		timezone: context.getTimezone(),
	};
}
