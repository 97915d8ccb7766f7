import type { PlaygroundRequest } from '../../../src/contract/console/playground.ts';
import { type Field, isShown, type Values } from './fields.ts';

export type RequestName = PlaygroundRequest['request'];

export interface RequestForm {
	name: RequestName;
	label: string;
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** The path after the base URL, as in the OpenAPI document; the key is in braces. */
	path: string;
	key?: { label: string; example: string };
	/** A form that can be sent unchanged, or once `before` has been done. */
	example: Values;
	/** The sentence beside a new form that cannot be sent yet. */
	before?: string;
}

const STREAM = { label: 'Stream key', example: 'playground' };

/** The requests of the public API, with the fields that the server describes. */
export const REQUESTS: readonly [RequestForm, ...RequestForm[]] = [
	{
		name: 'push',
		label: 'Send a push notification',
		method: 'POST',
		path: '/push-notification',
		example: { title: 'New order', message: '3 books for 42 €' },
	},
	{
		name: 'stream',
		label: 'Create or update a Live Activity',
		method: 'PUT',
		path: '/live-activity/stream/{stream_key}',
		key: STREAM,
		example: {
			'content_state.type': 'segmented_progress',
			'content_state.title': 'Deployment',
			'content_state.subtitle': 'Running the tests',
			'content_state.number_of_steps': 4,
			'content_state.current_step': 2,
			'content_state.color': 'purple',
			'content_state.icon.symbol': 'shippingbox',
		},
	},
	{
		name: 'stream_end',
		label: 'End a Live Activity',
		method: 'DELETE',
		path: '/live-activity/stream/{stream_key}',
		key: STREAM,
		example: {},
		before:
			'Nothing is running under this key. Create the Live Activity first, or enter another key.',
	},
	{
		name: 'start',
		label: 'Start a manual Live Activity',
		method: 'POST',
		path: '/live-activity/start',
		example: {
			'content_state.type': 'timer',
			'content_state.title': 'Tea',
			'content_state.duration_seconds': 240,
			'content_state.color': 'orange',
		},
	},
	{
		name: 'update',
		label: 'Update a Live Activity by ID',
		method: 'POST',
		path: '/live-activity/update',
		example: {},
		before: 'Start a manual Live Activity first, or enter the ID of a running one.',
	},
	{
		name: 'end',
		label: 'End a Live Activity by ID',
		method: 'POST',
		path: '/live-activity/end',
		example: {},
		before: 'Start a manual Live Activity first, or enter the ID of a running one.',
	},
	{
		name: 'badge',
		label: 'Set the app icon badge',
		method: 'POST',
		path: '/badge',
		example: { badge: 3 },
	},
	{
		name: 'metric',
		label: 'Set a metric',
		method: 'POST',
		path: '/metrics/{key}/value',
		key: { label: 'Metric key', example: 'revenue.today' },
		example: { value: '1204' },
	},
	{
		name: 'repeated',
		label: 'Repeat a push until someone reacts',
		method: 'POST',
		path: '/push-notification/repeated',
		example: {
			'push.title': 'Water in the cellar',
			'push.message': 'The sensor reports 4 cm',
			'repeat.every_minutes': 5,
			'repeat.times': 3,
		},
	},
	{
		name: 'repeated_stop',
		label: 'Stop a repeated push',
		method: 'DELETE',
		path: '/push-notification/repeated/{repeat_id}',
		key: { label: 'Repeat ID', example: '' },
		example: {},
	},
	{
		name: 'question',
		label: 'Ask a question',
		method: 'POST',
		path: '/questions',
		example: {
			title: 'Approve the refund?',
			message: 'Order 1042, 42 €',
			choices: [
				{ id: 'approve', title: 'Approve' },
				{ id: 'decline', title: 'Decline', destructive: 'true' },
			],
		},
	},
	{ name: 'channels', label: 'List the channels', method: 'GET', path: '/channels', example: {} },
	{ name: 'phones', label: 'List the phones', method: 'GET', path: '/phones', example: {} },
	{ name: 'metrics', label: 'List the metrics', method: 'GET', path: '/metrics', example: {} },
	{
		name: 'streams',
		label: 'List the Live Activities',
		method: 'GET',
		path: '/live-activity/streams',
		example: {},
	},
];

/** An update or an end may change nothing, and then has an empty `content_state`. */
const WITH_STATE: readonly RequestName[] = ['stream', 'start', 'update', 'end'];

/** The body a workflow would send for these values; empty fields are left out. */
export function toBody(
	{ name }: Pick<RequestForm, 'name'>,
	fields: readonly Field[],
	values: Values,
): Record<string, unknown> {
	const body: Record<string, unknown> = WITH_STATE.includes(name) ? { content_state: {} } : {};
	for (const field of fields.filter((one) => isShown(one, values))) {
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
		case 'boolean':
			return value === 'true';
		case 'json':
			return parsed(value as string);
		case 'list':
		case 'tags':
		case 'channels':
			return (value as string[]).length > 0 || field.canClear ? value : undefined;
		case 'rows':
			return toRows(field, value as Values[]);
		default:
			return value;
	}
}

/** The form that `toBody` turns into this body; what the form has no field for is left out. */
export function toValues(fields: readonly Field[], body: Record<string, unknown>): Values {
	return Object.fromEntries(
		fields.map((field) => [field.path, entered(field, valueAt(body, field.path))]),
	);
}

function valueAt(body: unknown, path: string): unknown {
	return path.split('.').reduce((value, name) => (value as Values | undefined)?.[name], body);
}

function entered(field: Field, value: unknown): unknown {
	if (value === undefined || value === null) return undefined;
	if (field.kind === 'boolean') return value === true ? 'true' : 'false';
	if (field.kind === 'json') return JSON.stringify(value, null, 2);
	if (field.kind !== 'rows') return value;
	const rows = field.isSingle ? [value] : (value as unknown[]);
	return rows.map((row) => toValues(field.columns, row as Values));
}

/** Text that reads as a number is one; `007` and `3 of 5` are text. */
function isNumber(value: unknown): boolean {
	return typeof value === 'number' || String(Number(value)) === String(value).trim();
}

/** Incomplete JSON is sent unchanged; the server says what is wrong with it. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

function toRows(field: Field, rows: Values[]): unknown {
	const list = rows.map((row) =>
		Object.fromEntries(
			field.columns
				.filter((column) => isShown(column, row))
				.map((column) => [column.path, sent(column, row[column.path])] as const)
				.filter(([, value]) => value !== undefined),
		),
	);
	if (list.length === 0) return undefined;
	return field.isSingle ? list[0] : list;
}
