import type { IDataObject } from 'n8n-workflow';

import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { atLeast, between, moreThan, oneOf } from '../../../../src/rules';
import { color } from '../colors';
import { ACTIVITY_TYPES, KEEP_TYPE, type ActivityType } from './activity-types';

type Fields = Record<string, unknown>;

const iconOf = (state: FieldReader) =>
	coloredOf(state.inside('icon'), 'symbol', 'content.icon', 'content.iconColor');

const badgeOf = (state: FieldReader) =>
	coloredOf(state.inside('badge'), 'title', 'content.badgeTitle', 'content.badgeColor');

/** An icon or a badge: a text with a color of its own. A color alone has nothing to color. */
function coloredOf(
	read: FieldReader,
	name: string,
	text: string,
	itsColor: string,
): IDataObject | undefined {
	const given = compact({
		[name]: read.text(name, text),
		color: read.text('color', itsColor, color),
	});
	if (Object.keys(given).length === 0) return undefined;
	read.required(name, given[name]);
	return given;
}

function segmentedProgress(state: FieldReader): Fields {
	const steps = state.wholeNumber('number_of_steps', 'numberOfSteps', atLeast(1));
	const current = state.wholeNumber('current_step', 'currentStep', atLeast(0));
	const colors = state.list('step_colors', 'content.stepPalette', { entry: color });
	if (steps !== undefined && current !== undefined && current > steps) {
		state.broken('current_step', 'must not be more than number_of_steps');
	}
	if (colors && current !== undefined && colors.length !== current) {
		state.broken(
			'step_colors',
			'must have one color for each completed step (its length must equal current_step)',
		);
	}
	return {
		number_of_steps: steps,
		current_step: current,
		step_color: state.text('step_color', 'content.stepColor', color),
		step_colors: colors,
		badge: badgeOf(state),
	};
}

function metrics(state: FieldReader): Fields {
	const entries = state.rows('metrics', 'metrics.metric').map((entry) =>
		compact({
			label: entry.required('label', entry.text('label', 'label')),
			value: entry.required('value', entry.numberOrText('value', 'value', atLeast(0))),
			unit: entry.text('unit', 'unit'),
			color: entry.text('color', 'color', color),
		}),
	);
	if (entries.length > 8) state.broken('metrics', 'must have 1 to 8 entries');
	return { metrics: entries.length > 0 ? entries : undefined };
}

/** The fields that each type has beside the common ones (docs/api-decisions.md "Live Activity content"). */
const OWN_FIELDS: Record<ActivityType, (state: FieldReader) => Fields> = {
	segmented_progress: segmentedProgress,
	progress: (state) => ({
		percentage: state.number('percentage', 'percentage', between(0, 100)),
		value: state.number('value', 'content.currentValue'),
		upper_limit: state.number('upper_limit', 'content.upperLimit', moreThan(0)),
		badge: badgeOf(state),
	}),
	metrics,
	stats: metrics,
	alert: (state) => ({ message: state.text('message', 'message'), badge: badgeOf(state) }),
	timer: (state) => ({
		duration_seconds: state.number('duration_seconds', 'durationSeconds', moreThan(0)),
		counts_down: state.flag('counts_down', 'content.countsDown'),
		is_running: state.flag('is_running', 'content.isRunning'),
	}),
	value: (state) => ({ value: state.text('value', 'value'), badge: badgeOf(state) }),
};

const ALSO_AS_VALUE = 'is required (or send value together with upper_limit)';
const UNLESS_COUNTING_UP = 'is required, unless counts_down is false';

/** What a start needs, beyond the title. */
function requireForStart(state: FieldReader, type: ActivityType, fields: Fields): void {
	switch (type) {
		case 'progress':
			if (fields['value'] === undefined || fields['upper_limit'] === undefined) {
				state.required('percentage', fields['percentage'], ALSO_AS_VALUE);
			}
			return;
		case 'timer':
			if (fields['counts_down'] !== false) {
				state.required('duration_seconds', fields['duration_seconds'], UNLESS_COUNTING_UP);
			}
			return;
		case 'segmented_progress':
			state.required('number_of_steps', fields['number_of_steps']);
			state.required('current_step', fields['current_step']);
			return;
		case 'metrics':
		case 'stats':
			state.required('metrics', fields['metrics']);
			return;
		case 'alert':
			state.required('message', fields['message']);
			return;
		case 'value':
			state.required('value', fields['value']);
	}
}

/** How it looks, whatever its type. */
export function lookOf(state: FieldReader): IDataObject {
	return compact({
		subtitle: state.text('subtitle', 'content.subtitle'),
		icon: iconOf(state),
		color: state.text('color', 'content.color', color),
	});
}

/** When an ended activity leaves the lock screen: of ends and streams only. */
function dismissalOf(state: FieldReader): Fields {
	return {
		auto_dismiss_minutes: state.wholeNumber(
			'auto_dismiss_minutes',
			'options.autoDismissMinutes',
			atLeast(0),
		),
		auto_dismiss_seconds: state.wholeNumber(
			'auto_dismiss_seconds',
			'options.autoDismissSeconds',
			atLeast(0),
		),
	};
}

/** The chosen type; undefined where the activity keeps the one it has, or where it is unknown. */
function typeOf(state: FieldReader, { isStart }: { isStart: boolean }): ActivityType | undefined {
	const type = state.text('type', 'activityType');
	if (type === undefined || (type === KEEP_TYPE && !isStart)) return undefined;
	const words = oneOf(ACTIVITY_TYPES)(type);
	return words === undefined ? (type as ActivityType) : state.broken('type', words);
}

/**
 * The content state as the user filled it in, with the fields of the chosen type only.
 * @param isStart whether it has to be complete
 */
export function contentStateOf(read: FieldReader, { isStart }: { isStart: boolean }): IDataObject {
	const state = read.inside('content_state');
	const type = typeOf(state, { isStart });
	const ownFields = type ? OWN_FIELDS[type](state) : { badge: badgeOf(state) };
	const title = state.text('title', 'title');
	if (isStart) state.required('title', title);
	if (isStart && type) requireForStart(state, type, ownFields);
	return compact({
		type,
		title,
		...lookOf(state),
		...ownFields,
		...dismissalOf(state),
	});
}
