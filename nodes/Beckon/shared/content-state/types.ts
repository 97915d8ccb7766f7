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

/** @param canKeep whether an activity may exist already, so that its type can stay */
export function activityTypeField({ canKeep }: { canKeep: boolean }): INodeProperties {
	return {
		displayName: 'Activity Type',
		name: 'activityType',
		type: 'options',
		default: 'progress',
		options: canKeep ? optionsWithKeep : typeOptions,
		description: 'What the Live Activity looks like',
	};
}

/** The type with which an activity ends: most end as what they are. */
export const finalTypeField: INodeProperties = {
	...activityTypeField({ canKeep: true }),
	default: KEEP_TYPE,
};
