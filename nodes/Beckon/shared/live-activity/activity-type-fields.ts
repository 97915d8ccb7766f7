import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { choice, field, sendsBy, shownFor } from '../field';
import { KEEP_TYPE } from './activity-types';
import { checkStart, sendActivityType } from './content-state';

const types: INodePropertyOptions[] = [
	{ name: 'Alert', value: 'alert', description: 'A title and a message' },
	{
		name: 'Keep Current Type',
		value: KEEP_TYPE,
		description: 'Change only fields that all types have, such as the title',
	},
	{ name: 'Metrics', value: 'metrics', description: 'Up to eight labeled values' },
	{ name: 'Progress', value: 'progress', description: 'A bar from 0 to 100 percent' },
	{ name: 'Segmented Progress', value: 'segmented_progress', description: 'A bar of steps' },
	{ name: 'Stats', value: 'stats', description: 'Up to eight labeled values in large type' },
	{ name: 'Timer', value: 'timer', description: 'A clock that runs on the phone by itself' },
	{ name: 'Value', value: 'value', description: 'One value in large type' },
];

const activityType = field('Activity Type', 'activityType', {
	description: 'What the Live Activity looks like',
	...choice('progress', types),
	...sendsBy(sendActivityType),
});

const newType = {
	...activityType,
	options: types.filter(({ value }) => value !== KEEP_TYPE),
	...sendsBy(sendActivityType, checkStart),
};

/** A new activity needs a type; an existing one can keep it, as most do. */
export const activityTypeFields: INodeProperties[] = [
	...shownFor({ operation: ['start'] }, [newType]),
	...shownFor({ operation: ['upsert'] }, [activityType]),
	...shownFor({ operation: ['update', 'end'] }, [{ ...activityType, default: KEEP_TYPE }]),
];
