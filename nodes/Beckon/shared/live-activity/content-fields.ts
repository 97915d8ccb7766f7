import type { INodeProperties } from 'n8n-workflow';

import {
	currentStepBounds,
	metricRows,
	numberOfStepsBounds,
	percentageBounds,
} from '../../../shared/fields/bounds';
import { activityButtonFields } from '../buttons';
import { colorField, colorOptions } from '../colors';
import {
	choice,
	collection,
	field,
	group,
	numeric,
	rowsOf,
	sends,
	sendsBy,
	shownFor,
	shownIf,
	toggle,
} from '../field';
import { TYPES_WITH_BADGE, type ActivityType } from './activity-types';
import {
	checkCurrentStep,
	sendBadgeColor,
	sendIconColor,
	sendMetrics,
	sendPercentage,
	sendStepColors,
} from './content-state';

const KEPT = 'Needed when the Live Activity starts; later, leave empty to keep it.';

export const titleField = field('Title', 'title', {
	description: `The first line of the Live Activity. ${KEPT}`,
	placeholder: 'e.g. Deploying to production',
	...sends('content_state.title'),
});

const messageField = field('Message', 'message', {
	description: `The text of the alert. ${KEPT}`,
	typeOptions: { rows: 3 },
	...sends('content_state.message'),
});

const onlyFor = (...types: ActivityType[]) => shownIf({ activityType: types });

const metricFields: INodeProperties[] = [
	field('Label', 'label', { description: 'The name of the value', placeholder: 'e.g. CPU' }),
	field('Value', 'value', {
		description: 'A number of 0 or more, or a short text',
		placeholder: 'e.g. 42',
	}),
	field('Unit', 'unit', {
		description: 'The text after the value, such as %',
		placeholder: 'e.g. %',
	}),
	colorField('Color', 'color', {
		description: 'The color of the value',
		...choice('', [{ name: 'Automatic', value: '' }, ...colorOptions]),
	}),
];

const percentageField = field('Percentage', 'percentage', {
	description:
		'Progress, from 0 to 100. Leave it at 0 to use Current Value and Upper Limit instead (under Additional Content).',
	...numeric(percentageBounds),
	placeholder: 'e.g. 40',
	...onlyFor('progress'),
	...sendsBy(sendPercentage),
});

/** The main content of the chosen type, directly below the title. */
export const mainContentFields: INodeProperties[] = [
	{ ...messageField, ...onlyFor('alert') },
	...shownFor({ operation: ['start', 'upsert'] }, [{ ...percentageField, default: 0 }]),
	...shownFor({ operation: ['update', 'end'] }, [percentageField]),
	field('Current Step', 'currentStep', {
		description: `The number of completed steps. ${KEPT}`,
		...numeric(currentStepBounds),
		placeholder: 'e.g. 1',
		...onlyFor('segmented_progress'),
		routing: {
			send: { type: 'body', property: 'content_state.current_step', preSend: [checkCurrentStep] },
		},
	}),
	field('Number of Steps', 'numberOfSteps', {
		description: `The total number of steps. ${KEPT}`,
		...numeric(numberOfStepsBounds),
		placeholder: 'e.g. 4',
		...onlyFor('segmented_progress'),
		...sends('content_state.number_of_steps'),
	}),
	field('Metrics', 'metrics', {
		description: 'One to eight values with their labels',
		...rowsOf(group('Metric', 'metric', metricFields), metricRows),
		...onlyFor('metrics', 'stats'),
		...sendsBy(sendMetrics),
	}),
	field('Duration (Seconds)', 'durationSeconds', {
		description:
			'Counted from now. Needed unless Counts Down is off when the Live Activity starts; later, leave empty to keep it.',
		...numeric({ minValue: 1 }),
		placeholder: 'e.g. 600',
		...onlyFor('timer'),
		...sends('content_state.duration_seconds'),
	}),
	field('Value', 'value', {
		description: `The value to show in large type. ${KEPT}`,
		placeholder: 'e.g. 21.5 °C',
		...onlyFor('value'),
		...sends('content_state.value'),
	}),
];

/** Inside a collection, the type is addressed from the root of the parameters. */
const onlyInside = (...types: string[]) => shownIf({ '/activityType': types });

const additionalFields: INodeProperties[] = [
	field('Subtitle', 'subtitle', {
		description: 'The line under the title',
		...sends('content_state.subtitle'),
	}),
	field('Icon', 'icon', {
		description: "The name of a symbol, as in Apple's SF Symbols",
		placeholder: 'e.g. shippingbox.fill',
		...sends('content_state.icon.symbol'),
	}),
	colorField('Icon Color', 'iconColor', {
		description: 'The color of the icon, used together with Icon',
		...sendsBy(sendIconColor),
	}),
	colorField('Color', 'color', {
		description: 'The main color of the Live Activity',
		...sends('content_state.color'),
	}),
	colorField('Badge Color', 'badgeColor', {
		description: 'The color of the badge, used together with Badge Title',
		...onlyInside(...TYPES_WITH_BADGE),
		...sendsBy(sendBadgeColor),
	}),
	field('Badge Title', 'badgeTitle', {
		description: 'A short text in a small frame',
		placeholder: 'e.g. Beta',
		...onlyInside(...TYPES_WITH_BADGE),
		...sends('content_state.badge.title'),
	}),
	field('Counts Down', 'countsDown', {
		description: 'Whether the timer shows the time left; if off, it shows the elapsed time',
		...toggle(true),
		...onlyInside('timer'),
		...sends('content_state.counts_down'),
	}),
	field('Current Value', 'currentValue', {
		description:
			'The progress in units of your own. Used together with Upper Limit, instead of Percentage.',
		type: 'number',
		default: 0,
		...onlyInside('progress'),
		...sends('content_state.value'),
	}),
	field('Is Running', 'isRunning', {
		description: 'Whether the timer runs; turn off to freeze it, and on to resume it',
		...toggle(true),
		...onlyInside('timer'),
		...sends('content_state.is_running'),
	}),
	colorField('Step Color', 'stepColor', {
		description: 'The color of the completed steps',
		...onlyInside('segmented_progress'),
		...sends('content_state.step_color'),
	}),
	// n8n's linter expects a field called "color" to have the type of a single color.
	field('Step Colors', 'stepPalette', {
		description:
			'A color for each completed step, separated by commas or lines, or an expression that gives an array',
		placeholder: 'e.g. lime, lime, orange',
		...onlyInside('segmented_progress'),
		...sendsBy(sendStepColors),
	}),
	field('Upper Limit', 'upperLimit', {
		description: 'The value at which the bar is full. Used together with Current Value.',
		type: 'number',
		default: 100,
		...onlyInside('progress'),
		...sends('content_state.upper_limit'),
	}),
];

/** The rest of the content. Offers only the fields of the chosen type. */
export const additionalContentField = collection('Additional Content', 'content', 'Add Field', [
	...additionalFields,
	...activityButtonFields,
]);
