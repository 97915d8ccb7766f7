import type { INodePropertyOptions } from 'n8n-workflow';

import { COLORS } from '../../shared/fields/bounds';
import { oneOf } from '../../shared/fields/rules';
import { choice, field } from './field';

export const color = oneOf(COLORS);

export const colorOptions: INodePropertyOptions[] = COLORS.map((value) => ({
	name: value.charAt(0).toUpperCase() + value.slice(1),
	value,
}));

export const colorField: typeof field = (displayName, name, parts) =>
	field(displayName, name, { ...choice('blue', colorOptions), ...parts });
