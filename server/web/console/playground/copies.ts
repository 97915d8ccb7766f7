import type { RequestForm } from './requests.ts';

type Body = Record<string, unknown>;
type Copied = Pick<RequestForm, 'name' | 'method' | 'path'>;

/** A metric's value, as the node's text field takes it. */
function valueText(value: unknown): string {
	return typeof value === 'number' ? String(value) : ((value as string | undefined) ?? '');
}

function pathOf({ path }: Copied, key: string): string {
	return path.replace(/\{[^}]+\}/, encodeURIComponent(key));
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** For a shell; the key is a variable, so that none is in the command's history. */
export function curlOf(form: Copied, key: string, body: Body, base: string): string {
	return [
		`curl -X ${form.method} ${quoted(base + pathOf(form, key))}`,
		`-H "Authorization: Bearer $BECKON_API_KEY"`,
		`-H 'Content-Type: application/json'`,
		`-d ${quoted(JSON.stringify(body))}`,
	].join(' \\\n  ');
}

const OPERATIONS: Record<
	RequestForm['name'],
	{ resource: string; operation: string; name: string }
> = {
	push: { resource: 'pushNotification', operation: 'send', name: 'Send a push notification' },
	badge: { resource: 'badge', operation: 'set', name: 'Set the badge' },
	stream: {
		resource: 'liveActivity',
		operation: 'upsert',
		name: 'Create or update a Live Activity',
	},
	stream_end: { resource: 'liveActivity', operation: 'end', name: 'End a Live Activity' },
	start: { resource: 'liveActivityManual', operation: 'start', name: 'Start a Live Activity' },
	update: { resource: 'liveActivityManual', operation: 'update', name: 'Update a Live Activity' },
	end: { resource: 'liveActivityManual', operation: 'end', name: 'End a Live Activity by id' },
	metric: { resource: 'metric', operation: 'setValue', name: 'Set a metric' },
};

/** The node's parameters in front, by the body's field; the others are in its collections. */
const STATE_IN_FRONT: Record<string, string> = {
	title: 'title',
	message: 'message',
	percentage: 'percentage',
	current_step: 'currentStep',
	number_of_steps: 'numberOfSteps',
	duration_seconds: 'durationSeconds',
};

const STATE_IN_CONTENT: Record<string, string> = {
	subtitle: 'subtitle',
	color: 'color',
	step_color: 'stepColor',
	upper_limit: 'upperLimit',
	counts_down: 'countsDown',
	is_running: 'isRunning',
};

const STATE_IN_OPTIONS: Record<string, string> = {
	auto_dismiss_minutes: 'autoDismissMinutes',
	auto_dismiss_seconds: 'autoDismissSeconds',
};

const IN_OPTIONS: Record<string, string> = {
	subtitle: 'subtitle',
	icon: 'icon',
	interruption_level: 'interruptionLevel',
	media: 'media',
	redirection: 'redirection',
	sound: 'sound',
	timestamp: 'timestamp',
};

function renamed(from: Body, names: Record<string, string>): Body {
	return Object.fromEntries(
		Object.entries(names)
			.filter(([name]) => from[name] !== undefined)
			.map(([name, parameter]) => [parameter, from[name]]),
	);
}

/** The node takes lists as text; the service allows no comma in an entry. */
function listText(value: unknown): string {
	return (value as string[]).join(', ');
}

/** What the node has as two parameters: a text and its color. */
function colored(value: unknown, text: string, parameter: string): Body {
	if (value === undefined) return {};
	const { color, [text]: words } = value as Record<string, string>;
	return {
		...(words !== undefined && { [parameter]: words }),
		...(color !== undefined && { [`${parameter.replace(/Title$/, '')}Color`]: color }),
	};
}

/** @param type of the activity as it is; the node shows the fields of its type only */
function stateParameters(state: Body, type: string | undefined): Body {
	const { value, metrics, step_colors: colors } = state;
	const isProgress = type === 'progress';
	const content = {
		...renamed(state, STATE_IN_CONTENT),
		...(colors !== undefined && { stepPalette: listText(colors) }),
		...(isProgress && value !== undefined && { currentValue: value }),
		...colored(state['icon'], 'symbol', 'icon'),
		...colored(state['badge'], 'title', 'badgeTitle'),
	};
	return {
		activityType: type ?? 'keep',
		...renamed(state, STATE_IN_FRONT),
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

/** Where a request may find tags already, the node asks what to do with them. */
function tagParameters({ name }: Copied, tags: unknown): { front: Body; options: Body } {
	if (tags === undefined) return { front: {}, options: {} };
	if (name === 'push' || name === 'start') return { front: {}, options: { tags: listText(tags) } };
	return (tags as string[]).length === 0
		? { front: { tagsMode: 'clear' }, options: {} }
		: { front: { tagsMode: 'replace', tags: listText(tags) }, options: {} };
}

function json(value: unknown): string {
	return JSON.stringify(value, null, 2);
}

function optionParameters(body: Body): Body {
	const target = body['target'] as { channels: string[] } | undefined;
	const channels = (body['channels'] as string[] | undefined) ?? target?.channels;
	const alert = (body['alert'] ?? {}) as { title?: string; body?: string };
	return {
		...renamed(body, IN_OPTIONS),
		...(channels && { channels: listText(channels) }),
		...renamed(alert, { title: 'alertTitle', body: 'alertBody' }),
		...(body['payload'] !== undefined && { payload: json(body['payload']) }),
		...(body['metadata'] !== undefined && { metadata: json(body['metadata']) }),
		...renamed((body['content_state'] ?? {}) as Body, STATE_IN_OPTIONS),
	};
}

function buttonRow(button: Body): Body {
	return { ...button, ...(button['body'] !== undefined && { body: json(button['body']) }) };
}

function buttonParameters(body: Body): Body {
	const actions = body['actions'] as Body[] | undefined;
	const action = body['action'] as Body | undefined;
	const secondary = body['secondary_action'] as Body | undefined;
	return {
		...(actions && { actions: { button: actions.map(buttonRow) } }),
		...(action && { action: { button: buttonRow(action) } }),
		...(secondary && { secondaryAction: { button: buttonRow(secondary) } }),
	};
}

function parametersOf(form: Copied, key: string, body: Body, shownType: string | undefined): Body {
	const { resource, operation } = OPERATIONS[form.name];
	const { front, options: tagOptions } = tagParameters(form, body['tags']);
	const state = body['content_state'] as Body | undefined;
	const options = {
		...optionParameters(body),
		...tagOptions,
		...(form.name === 'push' && renamed(body, { badge: 'badge' })),
	};
	const type = (state?.['type'] as string | undefined) ?? shownType;
	return {
		resource,
		operation,
		...(form.path.includes('{') && { [form.name === 'metric' ? 'key' : 'streamKey']: key }),
		...renamed(body, { activity_id: 'activityId' }),
		...(form.name === 'push' && renamed(body, { title: 'title', message: 'message' })),
		...(form.name === 'badge' && renamed(body, { badge: 'badge' })),
		...(form.name === 'metric' && { value: valueText(body['value']) }),
		...(state && stateParameters(state, hasOwnFields(state) ? type : undefined)),
		...buttonParameters(body),
		...front,
		...(Object.keys(options).length > 0 && { options }),
	};
}

const OF_EVERY_TYPE = ['title', 'subtitle', 'icon', 'color', 'badge'];

/** Whether the node needs the type to have these fields; without them it can keep the one there is. */
function hasOwnFields(state: Body): boolean {
	return Object.keys(state).some(
		(name) => !OF_EVERY_TYPE.includes(name) && !(name in STATE_IN_OPTIONS),
	);
}

/** A text that begins with `=` would be an expression to n8n; after another `=` it is itself. */
function withoutExpressions(value: unknown): unknown {
	if (typeof value === 'string') return value.startsWith('=') ? `=${value}` : value;
	if (Array.isArray(value)) return value.map(withoutExpressions);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [name, withoutExpressions(inner)]),
	);
}

/**
 * What n8n's editor makes a node of when it is pasted there.
 * @param shownType the activity's type as the preview has it, for a body that leaves it out
 */
export function nodeOf(form: Copied, key: string, body: Body, shownType?: string): string {
	const node = {
		parameters: withoutExpressions(parametersOf(form, key, body, shownType)),
		name: OPERATIONS[form.name].name,
		type: 'n8n-nodes-beckon.beckon',
		typeVersion: 1,
		position: [0, 0],
	};
	return JSON.stringify({ nodes: [node], connections: {} }, null, 2);
}
