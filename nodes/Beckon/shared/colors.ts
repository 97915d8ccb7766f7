import type { INodePropertyOptions } from 'n8n-workflow';

import { oneOf } from '../../shared/fields/rules';
import { field } from './field';

/** In the service's own order, which its messages use (docs/api-decisions.md "Live Activity content"). */
const COLORS = [
	'lime',
	'green',
	'cyan',
	'blue',
	'purple',
	'magenta',
	'red',
	'orange',
	'yellow',
	'gray',
];

export const color = oneOf(COLORS);

export const colorOptions: INodePropertyOptions[] = COLORS.map((value) => ({
	name: value.charAt(0).toUpperCase() + value.slice(1),
	value,
}));

export const colorField: typeof field = (displayName, name, description, more) =>
	field(displayName, name, description, {
		type: 'options',
		default: 'blue',
		options: colorOptions,
		...more,
	});
