import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

export type ActivityType =
	'segmented_progress' | 'progress' | 'metrics' | 'stats' | 'alert' | 'timer' | 'value';

/** Not a type of the service: the request leaves the type out, and the activity stays what it is. */
export const KEEP_TYPE = 'keep';

/** In the service's own order, which its messages use. */
export const ACTIVITY_TYPES: readonly ActivityType[] = [
	'segmented_progress',
	'progress',
	'metrics',
	'stats',
	'alert',
	'timer',
	'value',
];

const WITH_ONE_BUTTON: readonly string[] = ['timer', 'metrics', 'stats'];

export const TYPES_WITH_TWO_BUTTONS = [
	...ACTIVITY_TYPES.filter((type) => !WITH_ONE_BUTTON.includes(type)),
	KEEP_TYPE,
];

/** The same types have room for a badge. */
export const TYPES_WITH_BADGE = TYPES_WITH_TWO_BUTTONS;

const keepOption: INodePropertyOptions = {
	name: 'Keep Current Type',
	value: KEEP_TYPE,
	description: 'Change only what all types have, such as the title',
};

const typeOptions: INodePropertyOptions[] = [
	{ name: 'Alert', value: 'alert', description: 'A title and a message' },
	{ name: 'Metrics', value: 'metrics', description: 'Up to eight labelled values' },
	{ name: 'Progress', value: 'progress', description: 'A bar from 0 to 100 percent' },
	{ name: 'Segmented Progress', value: 'segmented_progress', description: 'A bar of steps' },
	{ name: 'Stats', value: 'stats', description: 'Up to eight labelled values in large type' },
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
};

/** A new activity has a type, an existing one can keep it, and most end as what they are. */
export const activityTypeFields: INodeProperties[] = [
	{ ...activityType, displayOptions: { show: { operation: ['start'] } } },
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
