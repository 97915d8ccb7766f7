import { z } from 'zod';
import type { Call } from '../../contract/calls.ts';
import { PUBLIC_CALLS } from '../../contract/public-calls.ts';

type CallName = keyof typeof PUBLIC_CALLS;

/** A call of the public API as a tool of the Model Context Protocol. */
export interface Tool {
	name: string;
	call: CallName;
	/** For models: what it does, when to choose it, and what it does not do. */
	description: string;
	/** Whether its result is the state of a question, once that has ended or some seconds have passed. */
	waits?: true;
	/** Nothing changes, or only what the model itself has made. */
	hints?: { readOnlyHint?: true; destructiveHint?: false; idempotentHint?: true };
}

export const TOOLS: readonly Tool[] = [
	{
		name: 'send_push',
		call: 'POST /push-notification',
		description:
			"Sends a notification to people's phones at once. It cannot be taken back. Without target it reaches every phone of the key; name channels (see list_channels) to reach fewer. Set interruption_level to passive for what can wait.",
		hints: { destructiveHint: false },
	},
	{
		name: 'update_live_activity',
		call: 'PUT /live-activity/stream/:stream_key',
		description:
			'Starts or updates a live card on the lock screen, for something that goes on for a while, such as a build. Choose a stream_key once and use it again for every update. The first call needs content_state.type and title; later ones only what changes. It is silent, unless you add alert.',
		hints: { destructiveHint: false, idempotentHint: true },
	},
	{
		name: 'end_live_activity',
		call: 'DELETE /live-activity/stream/:stream_key',
		description:
			'Ends the live card of a stream_key. Give content_state for what it shows last. End every card that you have started.',
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
		name: 'list_channels',
		call: 'GET /channels',
		description:
			'Lists the channels that the key may send to. A channel is a named set of phones, such as one team.',
		hints: { readOnlyHint: true },
	},
];

/** The name of the parameter in the path of a call; undefined if it has none. */
export function parameterOf(call: CallName): string | undefined {
	return /:(\w+)/.exec(call)?.[1];
}

/** The arguments of a tool as JSON Schema: the fields of the call's path, and of its body or query. */
export function inputSchema({ call, waits }: Tool): { type: 'object' } & Record<string, unknown> {
	const { params, body, query }: Call = PUBLIC_CALLS[call];
	// A tool that waits says how long by itself.
	const objects = [params, body, waits ? undefined : query].flatMap((schema) =>
		schema ? [toObjectSchema(schema)] : [],
	);
	const properties = Object.assign({}, ...objects.map(({ properties }) => properties)) as Record<
		string,
		JsonSchema
	>;
	// See `asksByDefault`.
	delete properties['deadline']?.properties?.['choice'];
	return {
		type: 'object',
		properties,
		required: objects.flatMap(({ required = [] }) => required),
		additionalProperties: false,
	};
}

/** True if the deadline would answer the question: an agent could choose, and call it a person's answer. */
export function asksByDefault(call: CallName, { deadline }: Record<string, unknown>): boolean {
	return call === 'POST /questions' && Object.hasOwn(Object(deadline) as object, 'choice');
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Without references, which not every client of the protocol follows. */
function toObjectSchema(schema: z.ZodType): JsonSchema {
	const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
	const resolved = JSON.parse(
		JSON.stringify(root),
		function resolve(_key, value: unknown): unknown {
			const { $ref, ...rest } = Object(value) as JsonSchema;
			if ($ref === undefined) return value;
			const named = $defs[$ref.slice('#/$defs/'.length)];
			return JSON.parse(JSON.stringify({ ...named, ...rest }), resolve);
		},
	) as JsonSchema;
	// A body that may be left out is an object or null.
	return resolved.anyOf?.map((one) => one).find(({ type }) => type === 'object') ?? resolved;
}
