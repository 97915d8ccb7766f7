import type { RequestForm } from './requests.ts';

type Body = Record<string, unknown>;

function pathOf(form: RequestForm, key: string): string {
	return form.path.replace('{key}', encodeURIComponent(key));
}

/** For a shell; the key is a variable, so that none is in the command's history. */
export function curlOf(form: RequestForm, key: string, body: Body, base: string): string {
	const json = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
	return [
		`curl -X ${form.method} ${base}${pathOf(form, key)}`,
		`-H "Authorization: Bearer $BECKON_API_KEY"`,
		`-H 'Content-Type: application/json'`,
		`-d '${json}'`,
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
	value: 'value',
};

const STATE_IN_CONTENT: Record<string, string> = {
	subtitle: 'subtitle',
	color: 'color',
	step_color: 'stepColor',
	counts_down: 'countsDown',
	is_running: 'isRunning',
};

function renamed(from: Body, names: Record<string, string>): Body {
	return Object.fromEntries(
		Object.entries(names)
			.filter(([name]) => from[name] !== undefined)
			.map(([name, parameter]) => [parameter, from[name]]),
	);
}

function listText(value: unknown): string {
	return (value as string[]).join(', ');
}

function stateParameters(state: Body): Body {
	const icon = state['icon'] as { symbol: string } | undefined;
	const badge = state['badge'] as { title: string } | undefined;
	const content = {
		...renamed(state, STATE_IN_CONTENT),
		...(icon && { icon: icon.symbol }),
		...(badge && { badgeTitle: badge.title }),
	};
	return {
		activityType: state['type'] ?? 'keep',
		...renamed(state, STATE_IN_FRONT),
		...(state['metrics'] !== undefined && { metrics: { metric: state['metrics'] } }),
		...(Object.keys(content).length > 0 && { content }),
	};
}

/** Where a request may find tags already, the node asks what to do with them. */
function tagParameters({ name }: RequestForm, tags: unknown): { front: Body; options: Body } {
	if (tags === undefined) return { front: {}, options: {} };
	return name === 'push' || name === 'start'
		? { front: {}, options: { tags: listText(tags) } }
		: { front: { tagsMode: 'replace', tags: listText(tags) }, options: {} };
}

function optionParameters(body: Body): Body {
	const target = body['target'] as { channels: string[] } | undefined;
	const channels = (body['channels'] as string[] | undefined) ?? target?.channels;
	const alert = body['alert'] as { title?: string; body?: string } | undefined;
	const state = body['content_state'] as Body | undefined;
	return {
		...renamed(body, {
			subtitle: 'subtitle',
			icon: 'icon',
			interruption_level: 'interruptionLevel',
			media: 'media',
			redirection: 'redirection',
			sound: 'sound',
			timestamp: 'timestamp',
		}),
		...(channels && { channels: listText(channels) }),
		...(alert?.title !== undefined && { alertTitle: alert.title }),
		...(alert?.body !== undefined && { alertBody: alert.body }),
		...(body['payload'] !== undefined && { payload: JSON.stringify(body['payload']) }),
		...(body['metadata'] !== undefined && { metadata: JSON.stringify(body['metadata']) }),
		...(state?.['auto_dismiss_minutes'] !== undefined && {
			autoDismissMinutes: state['auto_dismiss_minutes'],
		}),
	};
}

function parametersOf(form: RequestForm, key: string, body: Body): Body {
	const { resource, operation } = OPERATIONS[form.name];
	const { front, options: tagOptions } = tagParameters(form, body['tags']);
	const state = body['content_state'] as Body | undefined;
	const badgeIsOption = form.name === 'push' && body['badge'] !== undefined;
	const options = {
		...optionParameters(body),
		...tagOptions,
		...(badgeIsOption && { badge: body['badge'] }),
	};
	return {
		resource,
		operation,
		...(form.key && { [form.name === 'metric' ? 'key' : 'streamKey']: key }),
		...renamed(body, { activity_id: 'activityId' }),
		...(form.name === 'push' && renamed(body, { title: 'title', message: 'message' })),
		...(form.name === 'badge' && renamed(body, { badge: 'badge' })),
		...(form.name === 'metric' && { value: String(body['value'] ?? '') }),
		...(state && stateParameters(state)),
		...(body['actions'] !== undefined && { actions: { button: body['actions'] } }),
		...(body['action'] !== undefined && { action: { button: body['action'] } }),
		...(body['secondary_action'] !== undefined && {
			secondaryAction: { button: body['secondary_action'] },
		}),
		...front,
		...(Object.keys(options).length > 0 && { options }),
	};
}

/** What n8n's editor makes a node of when it is pasted there. */
export function nodeOf(form: RequestForm, key: string, body: Body): string {
	const node = {
		parameters: parametersOf(form, key, body),
		name: OPERATIONS[form.name].name,
		type: 'n8n-nodes-beckon.beckon',
		typeVersion: 1,
		position: [0, 0],
	};
	return JSON.stringify({ nodes: [node], connections: {} }, null, 2);
}
