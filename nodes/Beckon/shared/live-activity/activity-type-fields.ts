import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { KEEP_TYPE } from './activity-types';
import { checkStart, sendActivityType } from './content-state';

const keepOption: INodePropertyOptions = {
	name: 'Keep Current Type',
	value: KEEP_TYPE,
	description: 'Change only fields that all types have, such as the title',
};

const typeOptions: INodePropertyOptions[] = [
	{ name: 'Alert', value: 'alert', description: 'A title and a message' },
	{ name: 'Metrics', value: 'metrics', description: 'Up to eight labeled values' },
	{ name: 'Progress', value: 'progress', description: 'A bar from 0 to 100 percent' },
	{ name: 'Segmented Progress', value: 'segmented_progress', description: 'A bar of steps' },
	{ name: 'Stats', value: 'stats', description: 'Up to eight labeled values in large type' },
	{ name: 'Timer', value: 'timer', description: 'A clock that runs on the phone by itself' },
	{ name: 'Value', value: 'value', description: 'One value in large type' },
];

const optionsWithKeep = [...typeOptions, keepOption].sort((a, b) =>
	a.name.localeCompare(b.name, 'en'),
);

const activityType: INodeProperties = {
	displayName: 'Activity Type',
	name: 'activityType',
	type: 'options',
	default: 'progress',
	options: typeOptions,
	description: 'What the Live Activity looks like',
	routing: { send: { preSend: [sendActivityType] } },
};

/** A new activity needs a type; an existing one can keep it, as most do when they end. */
export const activityTypeFields: INodeProperties[] = [
	{
		...activityType,
		displayOptions: { show: { operation: ['start'] } },
		routing: { send: { preSend: [sendActivityType, checkStart] } },
	},
	{
		...activityType,
		options: optionsWithKeep,
		displayOptions: { show: { operation: ['upsert', 'update'] } },
	},
	{
		...activityType,
		options: optionsWithKeep,
		default: KEEP_TYPE,
		displayOptions: { show: { operation: ['end'] } },
	},
];
