import type { INodeProperties } from 'n8n-workflow';

import { choice, field, named, sendsBy, shownFor } from '../field';
import { KEEP_TYPE } from './activity-types';
import { checkStart, sendActivityType } from './content-state';

const types = named({
	alert: ['Alert', 'A title and a message'],
	[KEEP_TYPE]: ['Keep Current Type', 'Change only fields that all types have, such as the title'],
	metrics: ['Metrics', 'Up to eight labeled values'],
	progress: ['Progress', 'A bar from 0 to 100 percent'],
	segmented_progress: ['Segmented Progress', 'A bar of steps'],
	stats: ['Stats', 'Up to eight labeled values in large type'],
	timer: ['Timer', 'A clock that runs on the phone by itself'],
	value: ['Value', 'One value in large type'],
});

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
