import type { Tool as Described } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { channelList } from '../../contract/lists.ts';
import { type PublicCall, PUBLIC_CALLS } from '../../contract/public-calls.ts';
import { questionsResponse, waitedResponse } from '../../contract/questions.ts';
import { toToolSchema } from './schemas.ts';

type CallName = keyof typeof PUBLIC_CALLS;

/** A call of the public API as a tool of the Model Context Protocol. */
export interface Tool {
	name: string;
	call: CallName;
	/** For models: what it does, when to choose it, and what it does not do. */
	description: string;
	/** Whether its result is the state of a question, once that has ended or some seconds have passed. */
	waits?: true;
	/** Fields that it does not offer, besides `NEVER_OFFERED`, nor name in its output, besides `RARE`. */
	without?: readonly string[];
	/** The schema of its result, of a question and of lists. */
	output?: z.ZodType;
	/** Says that it changes nothing, or only what the model itself has made. */
	hints: { readOnlyHint?: true; destructiveHint?: false; idempotentHint?: true };
}

/**
 * Fields that no tool offers: those that agents hardly need, and a form's result and a default answer, which would come
 * from the agent itself. A call that names one is still made, except as `asksByDefault` says.
 */
export const NEVER_OFFERED = [
	...['link', 'callback', 'live_activity', 'choice', 'placeholder', 'max_length', 'status'],
	...['sound', 'icon', 'tags', 'secondary_action'],
	...['step_color', 'step_colors', 'auto_dismiss_seconds'],
];

/** Fields of results that hardly matter to an agent. */
const RARE = ['success', 'callback', 'callback_status', 'deadline_choice', 'escalated'];

export const TOOLS: readonly Tool[] = [
	{
		name: 'send_push',
		call: 'POST /push-notification',
		description:
			"Sends a notification to people's phones at once. It cannot be taken back. Without target it reaches every phone of the key; name channels (see list_channels) to reach fewer. Set interruption_level to passive for what can wait.",
		without: ['badge'],
		hints: { destructiveHint: false },
	},
	{
		name: 'update_live_activity',
		call: 'PUT /live-activity/stream/:stream_key',
		description:
			'Starts or updates a live card on the lock screen, for something that goes on for a while, such as a build. Choose a stream_key once and use it again for every update. The first call needs content_state.type and title; later ones only what changes. It is silent, unless you add alert.',
		without: ['badge', 'target'],
		hints: { destructiveHint: false, idempotentHint: true },
	},
	{
		name: 'end_live_activity',
		call: 'DELETE /live-activity/stream/:stream_key',
		description:
			'Ends the live card of a stream_key. Give content_state for what it shows last. End every card that you have started.',
		without: [
			...['type', 'action', 'alert', 'badge', 'color'],
			...['upper_limit', 'counts_down', 'is_running', 'duration_seconds'],
		],
		hints: { idempotentHint: true },
	},
	{
		name: 'set_metric',
		call: 'POST /metrics/:key/value',
		description:
			'Sets the latest value of a metric that people have on their lock screen. The metric must exist: people create them in the console.',
		hints: { destructiveHint: false, idempotentHint: true },
	},
	{
		name: 'set_badge',
		call: 'POST /badge',
		description: 'Sets the number on the icon of the app; 0 clears it.',
		hints: { destructiveHint: false, idempotentHint: true },
	},
	{
		name: 'ask',
		call: 'POST /questions',
		waits: true,
		description:
			'Asks a person, on their phone, and waits up to 45 s for the answer. Give choices, or text for a typed answer. If the status is still open then, call wait_for_answer with the question_id until it is not. Only the status answered is an answer; treat expired and withdrawn as no. Name a deadline, so that the question does not stay open for 30 days. If the call is cancelled, the question is withdrawn.',
		without: ['media'],
		output: waitedResponse,
		hints: { destructiveHint: false },
	},
	{
		name: 'wait_for_answer',
		call: 'GET /questions/:question_id',
		waits: true,
		description:
			'Waits up to 45 s for the answer to a question that is still open, and returns its state. If the call is cancelled, the question is withdrawn.',
		hints: { readOnlyHint: true },
	},
	{
		name: 'withdraw_question',
		call: 'DELETE /questions/:question_id',
		description: 'Withdraws a question whose answer is no longer needed; phones then say so.',
		hints: { destructiveHint: false, idempotentHint: true },
	},
	{
		name: 'list_questions',
		call: 'GET /questions',
		description:
			'Lists the open questions of the key, such as those of an earlier session. Wait for one with wait_for_answer, or withdraw it.',
		without: ['answer', 'ended_at'],
		output: questionsResponse,
		hints: { readOnlyHint: true },
	},
	{
		name: 'list_channels',
		call: 'GET /channels',
		description:
			'Lists the channels that the key may send to. A channel is a named set of phones, such as one team.',
		output: channelList.response,
		hints: { readOnlyHint: true },
	},
];

/** The name of the parameter in the path of a call; undefined if it has none. */
export function parameterOf(call: CallName): string | undefined {
	return /:(\w+)/.exec(call)?.[1];
}

/** What clients are told about a tool. Its arguments are the fields of the call's path, and of its body or query. */
export function describeTool(tool: Tool): Described {
	const { name, call, description, waits, without = [], output, hints: annotations } = tool;
	const { params, body, query, summary: title }: PublicCall = PUBLIC_CALLS[call];
	// A tool that waits has a fixed wait, so models cannot set one.
	const inputs = [params, body, waits ? undefined : query].flatMap((schema) =>
		schema ? [toToolSchema(schema, 'input', [...NEVER_OFFERED, ...without])] : [],
	);
	const inputSchema = {
		type: 'object',
		properties: Object.assign({}, ...inputs.map(({ properties }) => properties)) as object,
		required: inputs.flatMap(({ required = [] }) => required),
		additionalProperties: false,
	} as Described['inputSchema'];
	const result = output && toToolSchema(output, 'output', [...RARE, ...without]);
	const outputSchema = result as Described['outputSchema'];
	return { name, title, description, inputSchema, outputSchema, annotations };
}

/** True if the deadline would answer the question: an agent could choose, and call it a person's answer. */
export function asksByDefault(call: CallName, { deadline }: Record<string, unknown>): boolean {
	return call === 'POST /questions' && Object.hasOwn(Object(deadline) as object, 'choice');
}
