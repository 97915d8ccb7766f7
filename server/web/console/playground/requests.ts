import type { PlaygroundRequest } from '../../../src/contract/console/playground.ts';
import {
	activityButtons,
	alert,
	channels,
	contentState,
	dismissal,
	type Field,
	metadata,
	pushButtons,
	tags,
	title,
	type Values,
} from './fields.ts';

export type RequestName = PlaygroundRequest['request'];

export interface RequestForm {
	name: RequestName;
	label: string;
	method: 'POST' | 'PUT' | 'DELETE';
	/** The path after the base URL; `{key}` is what stands in `key`. */
	path: string;
	key?: { label: string; example: string };
	fields: readonly Field[];
	/** A form that can be sent as it is. */
	example: Values;
}

const DEPLOYMENT = {
	'content_state.type': 'segmented_progress',
	'content_state.title': 'Deployment',
	'content_state.subtitle': 'Running the tests',
	'content_state.number_of_steps': 4,
	'content_state.current_step': 2,
	'content_state.color': 'purple',
};

const ACTIVITY_ID: Field = {
	path: 'activity_id',
	label: 'Activity id',
	kind: 'text',
	hint: 'What Start answered; the answer to it fills this in',
};

const STREAM = { label: 'Stream key', example: 'playground' };

/** The eight requests of the public API. */
export const REQUESTS: readonly RequestForm[] = [
	{
		name: 'push',
		label: 'Send a push notification',
		method: 'POST',
		path: '/push-notification',
		example: { title: 'New order', message: '3 books for 42 €' },
		fields: [
			title,
			{ path: 'message', label: 'Message', kind: 'area' },
			{ path: 'subtitle', label: 'Subtitle', kind: 'text' },
			{
				path: 'interruption_level',
				label: 'Interruption level',
				kind: 'select',
				options: ['passive', 'active', 'time-sensitive', 'critical'],
			},
			pushButtons,
			channels,
			tags,
			{ path: 'redirection', label: 'Tap opens', kind: 'text', hint: 'A URL' },
			{ path: 'media', label: 'Media URL', kind: 'text', hint: 'Not together with buttons' },
			{ path: 'icon', label: 'Icon URL', kind: 'text' },
			{ path: 'badge', label: 'Badge', kind: 'number' },
			{ path: 'sound', label: 'Sound', kind: 'text', hint: 'default, or none for silence' },
			{ path: 'payload', label: 'Payload', kind: 'json', hint: 'A JSON object for the app' },
			metadata,
		],
	},
	{
		name: 'stream',
		label: 'Create or update a Live Activity',
		method: 'PUT',
		path: '/live-activity/stream/{key}',
		key: STREAM,
		example: DEPLOYMENT,
		fields: [
			...contentState,
			...activityButtons,
			{ ...channels, path: 'channels' },
			tags,
			...alert,
			dismissal,
			metadata,
		],
	},
	{
		name: 'stream_end',
		label: 'End a Live Activity',
		method: 'DELETE',
		path: '/live-activity/stream/{key}',
		key: STREAM,
		example: {},
		fields: [...contentState, ...activityButtons, tags, ...alert, dismissal, metadata],
	},
	{
		name: 'start',
		label: 'Start a Live Activity by hand',
		method: 'POST',
		path: '/live-activity/start',
		example: {
			'content_state.type': 'timer',
			'content_state.title': 'Tea',
			'content_state.duration_seconds': 240,
			'content_state.color': 'orange',
		},
		fields: [...contentState, ...activityButtons, channels, tags, ...alert, metadata],
	},
	{
		name: 'update',
		label: 'Update one by its id',
		method: 'POST',
		path: '/live-activity/update',
		example: {},
		fields: [ACTIVITY_ID, ...contentState, ...activityButtons, tags, metadata],
	},
	{
		name: 'end',
		label: 'End one by its id',
		method: 'POST',
		path: '/live-activity/end',
		example: {},
		fields: [ACTIVITY_ID, ...contentState, ...activityButtons, tags, dismissal, metadata],
	},
	{
		name: 'badge',
		label: 'Set the app icon badge',
		method: 'POST',
		path: '/badge',
		example: { badge: 3 },
		fields: [{ path: 'badge', label: 'Badge', kind: 'number', hint: '0 clears it' }, channels],
	},
	{
		name: 'metric',
		label: 'Set a metric',
		method: 'POST',
		path: '/metrics/{key}/value',
		key: { label: 'Metric key', example: 'revenue.today' },
		example: { value: '1204' },
		fields: [
			{ path: 'value', label: 'Value', kind: 'number_or_text' },
			{
				path: 'timestamp',
				label: 'Measured at',
				kind: 'text',
				hint: 'Such as 2026-01-31T09:30:00Z; left empty: now',
			},
		],
	},
];

/** The Live Activity fields of update and end may be left out, all of them: then `content_state` is empty. */
const WITH_STATE: readonly RequestName[] = ['stream', 'start', 'update', 'end'];

export function shownFields(form: RequestForm, values: Values): Field[] {
	return form.fields.filter((field) => field.when?.(values) ?? true);
}

/** The body that a workflow would send for what was typed; empty fields are left out. */
export function bodyOf(form: RequestForm, values: Values): Record<string, unknown> {
	const body: Record<string, unknown> = WITH_STATE.includes(form.name) ? { content_state: {} } : {};
	for (const field of shownFields(form, values)) {
		const value = sent(field, values[field.path]);
		if (value !== undefined) put(body, field.path.split('.'), value);
	}
	return body;
}

function put(into: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
	if (rest.length === 0) {
		into[name] = value;
		return;
	}
	const inner = (into[name] ?? {}) as Record<string, unknown>;
	into[name] = inner;
	put(inner, rest, value);
}

function sent(field: Field, value: unknown): unknown {
	if (value === undefined || value === null || value === '') return undefined;
	switch (field.kind) {
		case 'number':
			return Number(value);
		case 'number_or_text':
			return isNumber(value) ? Number(value) : value;
		case 'json':
			return parsed(String(value));
		case 'tags':
		case 'channels':
			return (value as string[]).length > 0 ? value : undefined;
		case 'rows':
			return rowsOf(field, value as Values[]);
		case 'select':
			return value === 'true' ? true : value === 'false' ? false : value;
		default:
			return value;
	}
}

function isNumber(value: unknown): boolean {
	return typeof value === 'number' || /^-?\d+(\.\d+)?$/.test(String(value).trim());
}

/** What is no JSON yet is sent as it is, so that the server says what is wrong with it. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

function rowsOf(field: Field, rows: Values[]): unknown {
	const list = rows.map((row) =>
		Object.fromEntries(
			(field.columns ?? [])
				.map((column) => [column.path, sent(column, row[column.path])] as const)
				.filter(([, value]) => value !== undefined),
		),
	);
	if (list.length === 0) return undefined;
	return field.most === 1 ? list[0] : list;
}
