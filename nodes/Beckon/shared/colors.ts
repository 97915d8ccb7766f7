import type { INodePropertyOptions } from 'n8n-workflow';

import { oneOf } from '../../shared/fields/rules';

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

/** For lists, where one cannot omit a color by not adding its field. */
export const optionalColorOptions: INodePropertyOptions[] = [
	{ name: 'Automatic', value: '' },
	...colorOptions,
];
