import type { ContentState } from '../../../src/contract/content-state.ts';

/** What is typed into a form, by the path of the body's field: `content_state.title`. */
export type Values = Record<string, unknown>;

export interface Field {
	path: string;
	label: string;
	kind:
		| 'text'
		| 'area'
		| 'number'
		| 'number_or_text'
		| 'switch'
		| 'select'
		| 'tags'
		| 'channels'
		| 'json'
		| 'rows';
	hint?: string;
	options?: readonly string[];
	/** Of `rows`: the fields of one. */
	columns?: readonly Field[];
	/** Of `rows`: how many there may be. */
	most?: number;
	/** Whether the field belongs to what was chosen so far. */
	when?: (values: Values) => boolean;
}

export type ActivityType = ContentState['type'];

const COLORS = [
	'lime',
	'green',
	'cyan',
	'blue',
	'purple',
	'magenta',
	'red',
	'orange',
	'yellow',
	'gray',
];

const TYPES: readonly ActivityType[] = [
	'segmented_progress',
	'progress',
	'metrics',
	'stats',
	'alert',
	'timer',
	'value',
];

const TYPE = 'content_state.type';

const ofType =
	(...types: ActivityType[]) =>
	(values: Values) =>
		types.includes(values[TYPE] as ActivityType);

const state = (field: Omit<Field, 'path'> & { path: string }): Field => ({
	...field,
	path: `content_state.${field.path}`,
});

export const title: Field = { path: 'title', label: 'Title', kind: 'text' };
export const channels: Field = {
	path: 'target.channels',
	label: 'Channels',
	kind: 'channels',
	hint: 'Left empty, it goes to every phone',
};
export const tags: Field = {
	path: 'tags',
	label: 'Tags',
	kind: 'tags',
	hint: 'To find it in the history',
};
export const metadata: Field = {
	path: 'metadata',
	label: 'Metadata',
	kind: 'json',
	hint: 'Kept in the history, never sent to a phone',
};

const buttonColumns: Field[] = [
	{ path: 'title', label: 'Label', kind: 'text' },
	{ path: 'type', label: 'When tapped', kind: 'select', options: ['open_url', 'webhook'] },
	{ path: 'url', label: 'URL', kind: 'text' },
];

export const pushButtons: Field = {
	path: 'actions',
	label: 'Buttons',
	kind: 'rows',
	columns: buttonColumns,
	most: 4,
};

/** The buttons of a Live Activity stand apart in the body; each is a list of at most one row here. */
export const activityButtons: Field[] = [
	{ path: 'action', label: 'Button', kind: 'rows', columns: buttonColumns, most: 1 },
	{
		path: 'secondary_action',
		label: 'Second button',
		kind: 'rows',
		columns: buttonColumns,
		most: 1,
		when: (values) => !ofType('timer', 'metrics', 'stats')(values),
	},
];

export const alert: Field[] = [
	{
		path: 'alert.title',
		label: 'Alert title',
		kind: 'text',
		hint: 'Makes the phone sound; without it the change is silent',
	},
	{ path: 'alert.body', label: 'Alert text', kind: 'text' },
];

export const dismissal: Field = state({
	path: 'auto_dismiss_minutes',
	label: 'Minutes until it leaves the lock screen',
	kind: 'number',
});

const hasBadge = ofType('segmented_progress', 'progress', 'alert', 'value');

/** The content of a Live Activity; which fields there are depends on its type. */
export const contentState: Field[] = [
	state({ path: 'type', label: 'Type', kind: 'select', options: TYPES }),
	state({ path: 'title', label: 'Title', kind: 'text' }),
	state({ path: 'subtitle', label: 'Subtitle', kind: 'text' }),
	state({
		path: 'number_of_steps',
		label: 'Number of steps',
		kind: 'number',
		when: ofType('segmented_progress'),
	}),
	state({
		path: 'current_step',
		label: 'Current step',
		kind: 'number',
		when: ofType('segmented_progress'),
	}),
	state({
		path: 'step_color',
		label: 'Color of steps',
		kind: 'select',
		options: COLORS,
		when: ofType('segmented_progress'),
	}),
	state({ path: 'percentage', label: 'Percentage', kind: 'number', when: ofType('progress') }),
	state({
		path: 'metrics',
		label: 'Values',
		kind: 'rows',
		most: 8,
		when: ofType('metrics', 'stats'),
		columns: [
			{ path: 'label', label: 'Label', kind: 'text' },
			{ path: 'value', label: 'Value', kind: 'number_or_text' },
			{ path: 'unit', label: 'Unit', kind: 'text' },
		],
	}),
	state({ path: 'message', label: 'Message', kind: 'area', when: ofType('alert') }),
	state({
		path: 'duration_seconds',
		label: 'Duration in seconds',
		kind: 'number',
		when: ofType('timer'),
	}),
	state({
		path: 'counts_down',
		label: 'Counts',
		kind: 'select',
		options: ['true', 'false'],
		hint: 'true counts down, false up',
		when: ofType('timer'),
	}),
	state({
		path: 'is_running',
		label: 'Runs',
		kind: 'select',
		options: ['true', 'false'],
		hint: 'false freezes the timer',
		when: ofType('timer'),
	}),
	state({ path: 'value', label: 'Value', kind: 'number_or_text', when: ofType('value') }),
	state({ path: 'color', label: 'Color', kind: 'select', options: COLORS }),
	state({
		path: 'icon.symbol',
		label: 'Icon',
		kind: 'text',
		hint: 'A symbol name, such as bolt or cart',
	}),
	state({ path: 'badge.title', label: 'Badge', kind: 'text', when: hasBadge }),
];
