import {
	ACTIVITY_TYPES,
	metricEntryText,
	metricLabel,
	metricList,
	metricUnit,
	percentageBounds,
} from '../../../shared/fields/bounds';
import { camelCase, compact } from '../../../shared/fields/compact';
import { checks, fillsBody } from '../../../shared/declared/hooks';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { atLeast, oneOf, within } from '../../../shared/fields/rules';
import { color } from '../colors';
import { KEEP_TYPE } from './activity-types';

/** Content fields that are more than plain values (docs/api-decisions.md "Live Activity content"). */

const contentOf = (read: FieldReader) => read.inside('content_state');

/** Sends nothing if the activity keeps its type. */
export const sendActivityType = fillsBody('content_state.type', (read) => {
	const type = read.required('content_state.type', read.text('content_state.type', 'activityType'));
	if (type === undefined || type === KEEP_TYPE) return undefined;
	return read.checked('content_state.type', type, oneOf(ACTIVITY_TYPES));
});

/** Rejects a color without the thing that it colors. @param colored that thing, and its parameter */
const sendsColorOf = (part: string, colored: string, parameter: string) =>
	fillsBody(`content_state.${part}.color`, (read) => {
		const inside = contentOf(read).inside(part);
		const value = inside.text('color', `content.${part}Color`, color);
		if (value !== undefined && !read.has(parameter)) inside.broken(colored, 'is required');
		return value;
	});

export const sendIconColor = sendsColorOf('icon', 'symbol', 'content.icon');

export const sendBadgeColor = sendsColorOf('badge', 'title', 'content.badgeTitle');

export const checkCurrentStep = checks((read) => {
	const current = contentOf(read).number('current_step', 'currentStep') ?? 0;
	const steps = contentOf(read).number('number_of_steps', 'numberOfSteps') ?? Infinity;
	if (current > steps) {
		contentOf(read).broken('current_step', 'must not be more than number_of_steps');
	}
});

export const sendStepColors = fillsBody('content_state.step_colors', (read) => {
	const current = contentOf(read).number('current_step', 'currentStep');
	const colors = contentOf(read).list('step_colors', 'content.stepPalette', { entry: color });
	if (colors && current !== undefined && colors.length !== current) {
		contentOf(read).broken(
			'step_colors',
			'must have one color for each completed step (its length must equal current_step)',
		);
	}
	return colors;
});

const ofMetric = { text: metricEntryText, number: atLeast(0) };

export const sendMetrics = fillsBody('content_state.metrics', (read) => {
	const entries = contentOf(read)
		.rows('metrics', 'metrics.metric')
		.map((entry) =>
			compact({
				label: entry.required('label', entry.text('label', 'label', metricLabel)),
				value: entry.required('value', entry.numberOrText('value', 'value', ofMetric)),
				unit: entry.text('unit', 'unit', metricUnit),
				color: entry.text('color', 'color', color),
			}),
		);
	return entries.length > 0 ? contentOf(read).checked('metrics', entries, metricList) : undefined;
});

/** A percentage of 0, the field's default, is left out if the progress is given in units of its own. */
export const sendPercentage = fillsBody('content_state.percentage', (read) => {
	const percentage = contentOf(read).number('percentage', 'percentage', within(percentageBounds));
	const hasUnits = read.has('content.currentValue') || read.has('content.upperLimit');
	return percentage === 0 && hasUnits ? undefined : percentage;
});

/**
 * Checks the fields that a start needs. They are not `required`: if an expression gives the type, n8n
 * shows the fields of all types and would demand them all.
 */
export const checkStart = checks((read) => {
	const state = contentOf(read);
	const need = (name: string, words = 'is required') => {
		if (!state.has(camelCase(name))) state.broken(name, words);
	};
	need('title');
	switch (state.text('type', 'activityType', oneOf(ACTIVITY_TYPES))) {
		case 'progress':
			if (state.has('content.currentValue') && state.has('content.upperLimit')) return;
			return need('percentage', 'is required (or send value together with upper_limit)');
		case 'timer':
			if (state.flag('counts_down', 'content.countsDown') === false) return;
			return need('duration_seconds', 'is required, unless counts_down is false');
		case 'segmented_progress':
			need('number_of_steps');
			return need('current_step');
		case 'metrics':
		case 'stats':
			if (state.rows('metrics', 'metrics.metric').length === 0)
				state.broken('metrics', 'is required');
			return;
		case 'alert':
			return need('message');
		case 'value':
			return need('value');
		default:
			// A missing or unknown type is reported separately.
			return;
	}
});
