import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
	CallToolRequestSchema,
	CancelledNotificationSchema,
	type CallToolResult,
	ListToolsRequestSchema,
	type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';
import { toRequest } from '../../contract/calls.ts';
import type { Context } from '../../service/context.ts';
import { withdrawUnheard } from '../../service/questions/answer.ts';
import { hashSecret } from '../../service/secrets.ts';
import { VERSION } from '../../version.ts';
import { requireCaller } from '../gate.ts';
import { asksByDefault, inputSchema, parameterOf, type Tool, TOOLS } from './tools.ts';

const INSTRUCTIONS =
	"Beckon reaches people's phones. Use it when a person should learn or decide something now, and sparingly: every push rings.";

/** Less than the minute after which many clients give up. */
const WAIT_SECONDS = 45;

/** Shared: by default each message would build one, with its schemas. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const GONE = { error: 'Cancelled', message: 'This call was cancelled.' };

const NO_DEFAULT = {
	error: 'Invalid request',
	message:
		'deadline.choice cannot be set here: only a person answers an agent. Leave it out; without an answer, the question expires.',
};

const NOT_FOUND = { error: 'Not found', message: 'There is nothing with this id.' };

const LISTED = TOOLS.map((tool) => ({
	name: tool.name,
	description: tool.description,
	inputSchema: inputSchema(tool),
	annotations: { openWorldHint: true, ...tool.hints },
}));

/**
 * Answers one message of the Model Context Protocol (Streamable HTTP, revision 2025-06-18). Nothing is kept between
 * two messages, so that any of several servers can answer the next one.
 * @param app where the tools' calls are made, as any client makes them: with their limits, scopes, history and audit
 * @param parts `gone`: aborted when the client has hung up
 */
export async function answerMessage(
	app: FastifyInstance,
	request: FastifyRequest,
	{ context, gone }: { context: Context; gone: AbortSignal },
): Promise<Response> {
	const caller = requireCaller(request);
	const toCallId = (id: RequestId | undefined) =>
		hashSecret(JSON.stringify([caller.keyId, request.headers['mcp-session-id'] ?? request.id, id]));
	const { server } = new McpServer(
		{ name: 'beckon', title: 'Beckon', version: VERSION },
		{ capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
	);
	server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }));
	server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
		const tool = TOOLS.find(({ name }) => name === params.name);
		if (!tool) return toResult(404, { message: `There is no tool ${params.name}.` });
		const withdraw = (id: string) => withdrawUnheard(context, caller, id);
		return await context.cancellations.run(toCallId(requestId), gone, (left) =>
			callTool(sender(app, request), tool, params.arguments ?? {}, { gone: left, withdraw }),
		);
	});
	server.setNotificationHandler(CancelledNotificationSchema, ({ params }) =>
		context.cancellations.cancel(toCallId(params.requestId)),
	);
	const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
	await server.connect(transport);
	try {
		const { method, headers, body } = request;
		const message = new Request('http://localhost/mcp', {
			method,
			headers: Object.entries(headers).map(([name, value]): [string, string] => [
				name,
				String(value),
			]),
		});
		return await transport.handleRequest(message, { parsedBody: body });
	} finally {
		await server.close();
	}
}

async function callTool(
	send: Send,
	{ call, waits }: Tool,
	given: Record<string, unknown>,
	{ gone, withdraw }: { gone: AbortSignal; withdraw: (questionId: string) => Promise<void> },
): Promise<CallToolResult> {
	if (asksByDefault(call, given)) return toResult(400, NO_DEFAULT);
	const isGone = () => gone.aborted;
	if (isGone()) return toResult(408, GONE);
	// A tool that waits says how long by itself: while its first call waited, nobody would notice a hang-up.
	const { wait: _own, ...asked } = given;
	const { status, body } = await send(call, waits ? asked : given);
	if (!waits || status !== 200) return toResult(status, body);
	const { question_id } = body;
	const wait = { question_id, wait: WAIT_SECONDS };
	const ended = isGone()
		? undefined
		: await send('GET /questions/:question_id', wait, gone).catch((error: unknown) => {
				if (!isGone()) throw error;
				return undefined;
			});
	if (isGone()) await withdraw(String(question_id));
	// Too many may wait: the agent knows the question all the same.
	return ended?.status === 200 ? toResult(200, ended.body) : toResult(status, body);
}

/** Makes a call of the public API as its client does, with the key and from the address of a message. */
type Send = (
	call: Tool['call'],
	given: Record<string, unknown>,
	gone?: AbortSignal,
) => Promise<{ status: number; body: Record<string, unknown> }>;

function sender(app: FastifyInstance, { ip, headers: { authorization } }: FastifyRequest): Send {
	return async (call, given, signal) => {
		const { [parameterOf(call) ?? '']: parameter, ...rest } = given;
		const sent = parameterOf(call) === undefined ? [rest] : [parameter, rest];
		// Dots would lead to another path.
		if (parameter === '.' || parameter === '..') return { status: 404, body: NOT_FOUND };
		const { method, path, body } = toRequest(call, sent);
		const answer = await app.inject({
			method: method as InjectOptions['method'],
			url: `/api${path}`,
			remoteAddress: ip,
			headers: { authorization },
			...(signal && { signal }),
			...(body !== undefined && { payload: body as object }),
		});
		return { status: answer.statusCode, body: answer.json() };
	};
}

/** A refusal is a result too: the model reads what to change. */
function toResult(status: number, body: Record<string, unknown>): CallToolResult {
	return {
		content: [{ type: 'text', text: JSON.stringify(body) }],
		...(status === 200 ? { structuredContent: body } : { isError: true }),
	};
}
