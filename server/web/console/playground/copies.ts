import { questionParameters } from './question-node.ts';
import type { RequestForm } from './requests.ts';

type Body = Record<string, unknown>;
type Copied = Pick<RequestForm, 'name' | 'label' | 'method' | 'path'>;

/** A metric's value, as the node's text field takes it. */
function valueText(value: unknown): string {
	return typeof value === 'number' ? String(value) : ((value as string | undefined) ?? '');
}

function toPath({ path }: Copied, key: string): string {
	return path.replace(/\{[^}]+\}/, encodeURIComponent(key));
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** For a shell; the key is a variable, which keeps it out of the command history. */
export function toCurl(form: Copied, key: string, body: Body, base: string): string {
	const authorization = `-H "Authorization: Bearer $BECKON_API_KEY"`;
	if (form.method === 'GET') {
		const fields = Object.entries(body).map(([name, value]) => [name, String(value)] as const);
		const query = new URLSearchParams(Object.fromEntries(fields)).toString();
		return [
			`curl ${quoted(`${base}${toPath(form, key)}${query && `?${query}`}`)}`,
			authorization,
		].join(' \\\n  ');
	}
	return [
		`curl -X ${form.method} ${quoted(base + toPath(form, key))}`,
		authorization,
		`-H 'Content-Type: application/json'`,
		`-d ${quoted(JSON.stringify(body))}`,
	].join(' \\\n  ');
}

type Operation = readonly [resource: string, operation: string];

/** The node has no operation for a list: it loads them into its fields. */
const OPERATIONS: Partial<Record<RequestForm['name'], Operation>> = {
	push: ['pushNotification', 'send'],
	repeated: ['pushNotification', 'send'],
	repeated_stop: ['pushNotification', 'stopRepeating'],
	badge: ['badge', 'set'],
	stream: ['liveActivity', 'upsert'],
	stream_end: ['liveActivity', 'end'],
	start: ['liveActivityManual', 'start'],
	update: ['liveActivityManual', 'update'],
	end: ['liveActivityManual', 'end'],
	metric: ['metric', 'setValue'],
	question: ['pushNotification', 'sendAndWait'],
};

/** The fields of a state that the node has at its top level; the others are in its collections. */
const STATE_AT_TOP_LEVEL = [
	'title',
	'message',
	'percentage',
	'current_step',
	'number_of_steps',
	'duration_seconds',
];

const IN_CONTENT = ['subtitle', 'color', 'step_color', 'upper_limit', 'counts_down', 'is_running'];

const STATE_IN_OPTIONS = ['auto_dismiss_minutes', 'auto_dismiss_seconds'];

const IN_OPTIONS = [
	'subtitle',
	'icon',
	'interruption_level',
	'media',
	'redirection',
	'sound',
	'timestamp',
];

/** The parameters for the fields of `from` with these names, which the node has in camel case. */
function toCamelCase(from: Body, ...names: string[]): Body {
	const parameter = (name: string) =>
		name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
	return Object.fromEntries(
		names.filter((name) => from[name] !== undefined).map((name) => [parameter(name), from[name]]),
	);
}

/** The node takes lists as text; the service allows no comma in an entry. */
function listText(value: unknown): string {
	return (value as string[]).join(', ');
}

/** A text and its color, two parameters of the node. */
function colored(value: unknown, text: string, parameter: string): Body {
	if (value === undefined) return {};
	const { color, [text]: words } = value as Record<string, string>;
	return {
		...(words !== undefined && { [parameter]: words }),
		...(color !== undefined && { [`${parameter.replace(/Title$/, '')}Color`]: color }),
	};
}

function buttonRow(button: Body): Body {
	return { ...button, ...(button['body'] !== undefined && { body: json(button['body']) }) };
}

/** The buttons of a Live Activity, at most two. */
function buttonParameters({ action, secondary_action: secondary }: Body): Body {
	return {
		...(action !== undefined && { action: { button: buttonRow(action as Body) } }),
		...(secondary !== undefined && { secondaryAction: { button: buttonRow(secondary as Body) } }),
	};
}

/** @param type the activity's current type; the node shows only that type's fields */
function contentParameters(state: Body, type: string | undefined, buttons: Body): Body {
	const { value, metrics, step_colors: colors } = state;
	const isProgress = type === 'progress';
	const content = {
		...toCamelCase(state, ...IN_CONTENT),
		...(colors !== undefined && { stepPalette: listText(colors) }),
		...(isProgress && value !== undefined && { currentValue: value }),
		...colored(state['icon'], 'symbol', 'icon'),
		...colored(state['badge'], 'title', 'badgeTitle'),
		...buttons,
	};
	return {
		activityType: type ?? 'keep',
		// The node begins a bar at 0.
		...(isProgress && { percentage: '' }),
		...toCamelCase(state, ...STATE_AT_TOP_LEVEL),
		...(!isProgress && value !== undefined && { value: valueText(value) }),
		...(metrics !== undefined && {
			metrics: {
				metric: (metrics as Body[]).map((row) => ({
					...row,
					value: valueText(row['value']),
				})),
			},
		}),
		...(Object.keys(content).length > 0 && { content }),
	};
}

function json(value: unknown): string {
	return JSON.stringify(value, null, 2);
}

const CREATING: ReadonlyArray<RequestForm['name']> = ['push', 'start', 'question'];

/** Empty text changes nothing: if tags may already be set, an option clears them. */
function tagParameters({ name }: Copied, tags: string[] | undefined): Body {
	if (tags === undefined) return {};
	if (tags.length > 0) return { tags: listText(tags) };
	return CREATING.includes(name) ? {} : { clearTags: true };
}

function recipientParameters(body: Body): Body {
	const target = body['target'] as { channels: string[] } | undefined;
	const channels = (body['channels'] as string[] | undefined) ?? target?.channels;
	return channels ? { sendTo: 'channels', channels } : {};
}

function optionParameters(body: Body): Body {
	const alert = (body['alert'] ?? {}) as { title?: string; body?: string };
	return {
		...toCamelCase(body, ...IN_OPTIONS),
		...(alert.title !== undefined && { alertTitle: alert.title }),
		...(alert.body !== undefined && { alertBody: alert.body }),
		...(body['payload'] !== undefined && { payload: json(body['payload']) }),
		...(body['metadata'] !== undefined && { metadata: json(body['metadata']) }),
		...toCamelCase((body['content_state'] ?? {}) as Body, ...STATE_IN_OPTIONS),
	};
}

function toPlainParameters(
	[resource, operation]: Operation,
	form: Copied,
	key: string,
	body: Body,
	shownType: string | undefined,
): Body | undefined {
	const isQuestion = form.name === 'question';
	const question = isQuestion ? questionParameters(body) : undefined;
	if (isQuestion && !question) return undefined;
	const actions = body['actions'] as Body[] | undefined;
	const buttons = buttonParameters(body);
	const isActivity = body['content_state'] !== undefined || Object.keys(buttons).length > 0;
	const state = (body['content_state'] ?? {}) as Body;
	const options = {
		...optionParameters(body),
		...tagParameters(form, body['tags'] as string[] | undefined),
		...(form.name === 'push' && toCamelCase(body, 'badge')),
		...question?.options,
	};
	const type = (state['type'] as string | undefined) ?? shownType;
	return {
		resource,
		operation,
		...(form.path.includes('{') && {
			[form.name === 'metric' ? 'key' : 'streamKey']: { __rl: true, mode: 'key', value: key },
		}),
		...recipientParameters(body),
		...toCamelCase(body, 'activity_id'),
		...(['push', 'question'].includes(form.name) && toCamelCase(body, 'title', 'message')),
		...question?.shown,
		...(form.name === 'badge' && toCamelCase(body, 'badge')),
		...(form.name === 'metric' && { value: valueText(body['value']) }),
		...(isActivity && contentParameters(state, hasOwnFields(state) ? type : undefined, buttons)),
		...(actions && { actions: { button: actions.map(buttonRow) } }),
		...(Object.keys(options).length > 0 && { options }),
	};
}

/** The fields that the node offers before a type is chosen. */
const SHOWN_WITHOUT_TYPE = ['title', 'subtitle', 'icon', 'color', 'badge'];

/** True if the node needs the type to show these fields; otherwise it can keep the current type. */
function hasOwnFields(state: Body): boolean {
	return Object.keys(state).some(
		(name) => !SHOWN_WITHOUT_TYPE.includes(name) && !STATE_IN_OPTIONS.includes(name),
	);
}

/** n8n evaluates text that begins with `=`, so such a text becomes an expression with a constant. */
function withoutExpressions(value: unknown): unknown {
	if (typeof value === 'string')
		return value.startsWith('=')
			? `={{ ${JSON.stringify(value).replaceAll('}', String.raw`\u007d`)} }}`
			: value;
	if (Array.isArray(value)) return value.map(withoutExpressions);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [name, withoutExpressions(inner)]),
	);
}

function toParameters(
	operation: Operation,
	form: Copied,
	key: string,
	body: Body,
	shownType: string | undefined,
): Body | undefined {
	const [resource, verb] = operation;
	if (form.name === 'repeated_stop') return { resource, operation: verb, repeatId: key };
	if (form.name !== 'repeated') return toPlainParameters(operation, form, key, body, shownType);
	const { push = {}, repeat = {} } = body as { push?: Body; repeat?: Body };
	const parameters = toPlainParameters(operation, { ...form, name: 'push' }, key, push, undefined);
	const values = toCamelCase(repeat, 'every_minutes', 'times');
	return { ...parameters, options: { ...(parameters?.['options'] as Body), repeat: { values } } };
}

/**
 * The JSON that n8n's editor turns into a node when pasted; undefined if no operation sends it.
 * @param shownType the activity's type in the preview, for a body that leaves it out
 */
export function toNode(
	form: Copied,
	key: string,
	body: Body,
	shownType?: string,
): string | undefined {
	const operation = OPERATIONS[form.name];
	if (!operation) return undefined;
	const parameters = toParameters(operation, form, key, body, shownType);
	if (!parameters) return undefined;
	const node = {
		parameters: withoutExpressions(parameters),
		name: form.label,
		type: 'n8n-nodes-beckon.beckon',
		typeVersion: 2,
		position: [0, 0],
	};
	return JSON.stringify({ nodes: [node], connections: {} }, null, 2);
}
