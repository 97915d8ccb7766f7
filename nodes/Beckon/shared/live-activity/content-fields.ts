import type { INodeProperties } from 'n8n-workflow';

import { activityButtonFields } from '../buttons';
import { byDisplayName } from '../options';
import { colorOptions, optionalColorOptions } from '../colors';
import { TYPES_WITH_BADGE, type ActivityType } from './activity-types';
import {
	sendBadgeColor,
	sendCurrentStep,
	sendDuration,
	sendIconColor,
	sendMetrics,
	sendStepColors,
	sendUpperLimit,
} from './content-state';
import { leftEmptyLater } from './left-empty';

const onlyFor = (...types: ActivityType[]) => ({ show: { activityType: types } });

const metricFields: INodeProperties[] = [
	{
		displayName: 'Label',
		name: 'label',
		type: 'string',
		default: '',
		placeholder: 'e.g. CPU',
		description: 'The name of the value',
	},
	{
		displayName: 'Value',
		name: 'value',
		type: 'string',
		default: '',
		placeholder: 'e.g. 42',
		description: 'A number of 0 or more, or a short text',
	},
	{
		displayName: 'Unit',
		name: 'unit',
		type: 'string',
		default: '',
		placeholder: 'e.g. %',
		description: 'The text after the value, such as %',
	},
	{
		displayName: 'Color',
		name: 'color',
		type: 'options',
		default: '',
		options: optionalColorOptions,
		description: 'The color of the value',
	},
];

/** The main content of the chosen type, directly below the title. */
export const mainContentFields: INodeProperties[] = [
	...leftEmptyLater({
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		displayOptions: onlyFor('alert'),
		description: 'The text of the alert',
		routing: { send: { type: 'body', property: 'content_state.message' } },
	}),
	{
		displayName: 'Percentage',
		name: 'percentage',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100 },
		default: '',
		placeholder: 'e.g. 40',
		displayOptions: onlyFor('progress'),
		description:
			'Progress, from 0 to 100. Leave empty to give Current Value and Upper Limit under Additional Content instead.',
		routing: { send: { type: 'body', property: 'content_state.percentage' } },
	},
	...leftEmptyLater({
		displayName: 'Current Step',
		name: 'currentStep',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: '',
		placeholder: 'e.g. 1',
		displayOptions: onlyFor('segmented_progress'),
		description: 'The number of completed steps',
		routing: { send: { preSend: [sendCurrentStep] } },
	}),
	...leftEmptyLater({
		displayName: 'Number of Steps',
		name: 'numberOfSteps',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: '',
		placeholder: 'e.g. 4',
		displayOptions: onlyFor('segmented_progress'),
		description: 'The total number of steps',
		routing: { send: { type: 'body', property: 'content_state.number_of_steps' } },
	}),
	{
		displayName: 'Metrics',
		name: 'metrics',
		type: 'fixedCollection',
		placeholder: 'Add Metric',
		typeOptions: { multipleValues: true, sortable: true },
		default: {},
		displayOptions: onlyFor('metrics', 'stats'),
		options: [{ displayName: 'Metric', name: 'metric', values: metricFields }],
		description: 'One to eight values with their labels',
		routing: { send: { preSend: [sendMetrics] } },
	},
	...leftEmptyLater(
		{
			displayName: 'Duration (Seconds)',
			name: 'durationSeconds',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: '',
			placeholder: 'e.g. 600',
			displayOptions: onlyFor('timer'),
			description: 'How long the timer runs, from now',
			routing: { send: { preSend: [sendDuration] } },
		},
		{ condition: 'unless Counts Down is off', kept: 'let it run on' },
	),
	...leftEmptyLater({
		displayName: 'Value',
		name: 'value',
		type: 'string',
		default: '',
		placeholder: 'e.g. 21.5 °C',
		displayOptions: onlyFor('value'),
		description: 'The value to show in large type',
		routing: { send: { type: 'body', property: 'content_state.value' } },
	}),
];

const commonFields: INodeProperties[] = [
	{
		displayName: 'Color',
		name: 'color',
		type: 'options',
		default: 'blue',
		options: colorOptions,
		description: 'The main color of the Live Activity',
		routing: { send: { type: 'body', property: 'content_state.color' } },
	},
	{
		displayName: 'Icon',
		name: 'icon',
		type: 'string',
		default: '',
		placeholder: 'e.g. shippingbox.fill',
		description: "The name of a symbol, as in Apple's SF Symbols",
		routing: { send: { type: 'body', property: 'content_state.icon.symbol' } },
	},
	{
		displayName: 'Icon Color',
		name: 'iconColor',
		type: 'options',
		default: 'blue',
		options: colorOptions,
		description: 'The color of the icon, used together with Icon',
		routing: { send: { preSend: [sendIconColor] } },
	},
	{
		displayName: 'Subtitle',
		name: 'subtitle',
		type: 'string',
		default: '',
		description: 'The line under the title',
		routing: { send: { type: 'body', property: 'content_state.subtitle' } },
	},
];

/** Inside a collection, the type is addressed from the root of the parameters. */
const onlyInside = (...types: string[]) => ({ show: { '/activityType': types } });

const typeFields: INodeProperties[] = [
	{
		displayName: 'Badge Color',
		name: 'badgeColor',
		type: 'options',
		default: 'blue',
		options: colorOptions,
		displayOptions: onlyInside(...TYPES_WITH_BADGE),
		description: 'The color of the badge, used together with Badge Title',
		routing: { send: { preSend: [sendBadgeColor] } },
	},
	{
		displayName: 'Badge Title',
		name: 'badgeTitle',
		type: 'string',
		default: '',
		placeholder: 'e.g. Beta',
		displayOptions: onlyInside(...TYPES_WITH_BADGE),
		description: 'A short text in a small frame',
		routing: { send: { type: 'body', property: 'content_state.badge.title' } },
	},
	{
		displayName: 'Counts Down',
		name: 'countsDown',
		type: 'boolean',
		default: true,
		displayOptions: onlyInside('timer'),
		description: 'Whether the timer shows the time left; if off, it shows the elapsed time',
		routing: { send: { type: 'body', property: 'content_state.counts_down' } },
	},
	{
		displayName: 'Current Value',
		name: 'currentValue',
		type: 'number',
		default: 0,
		displayOptions: onlyInside('progress'),
		description:
			'The progress in units of your own. Used together with Upper Limit, instead of Percentage.',
		routing: { send: { type: 'body', property: 'content_state.value' } },
	},
	{
		displayName: 'Is Running',
		name: 'isRunning',
		type: 'boolean',
		default: true,
		displayOptions: onlyInside('timer'),
		description: 'Whether the timer runs; turn off to freeze it, and on to resume it',
		routing: { send: { type: 'body', property: 'content_state.is_running' } },
	},
	{
		displayName: 'Step Color',
		name: 'stepColor',
		type: 'options',
		default: 'blue',
		options: colorOptions,
		displayOptions: onlyInside('segmented_progress'),
		description: 'The color of the completed steps',
		routing: { send: { type: 'body', property: 'content_state.step_color' } },
	},
	{
		displayName: 'Step Colors',
		// n8n's linter takes a text called "color" for one that needs the type of a single color.
		name: 'stepPalette',
		type: 'string',
		default: '',
		placeholder: 'e.g. lime, lime, orange',
		displayOptions: onlyInside('segmented_progress'),
		description:
			'A color for each completed step, separated by commas or lines, or an expression that gives an array',
		routing: { send: { preSend: [sendStepColors] } },
	},
	{
		displayName: 'Upper Limit',
		name: 'upperLimit',
		type: 'number',
		default: 100,
		displayOptions: onlyInside('progress'),
		description: 'The value at which the bar is full. Used together with Current Value.',
		routing: { send: { preSend: [sendUpperLimit] } },
	},
];

/** The rest of the content. Offers only the fields of the chosen type. */
export const additionalContentField: INodeProperties = {
	displayName: 'Additional Content',
	name: 'content',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: byDisplayName([...commonFields, ...typeFields, ...activityButtonFields]),
};
