import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
	CallToolRequestSchema,
	type CallToolResult,
	ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';
import { toRequest } from '../../contract/calls.ts';
import { VERSION } from '../../version.ts';
import { inputSchema, parameterOf, type Tool, TOOLS } from './tools.ts';

const INSTRUCTIONS =
	"Beckon reaches people's phones. Use it when a person should learn or decide something now, and sparingly: every push rings.";

/** Less than the minute after which many clients give up. */
const WAIT_SECONDS = 45;

/** Shared: by default each message would build one, with its schemas. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

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
 */
export async function answerMessage(
	app: FastifyInstance,
	request: FastifyRequest,
): Promise<Response> {
	const { server } = new McpServer(
		{ name: 'beckon', title: 'Beckon', version: VERSION },
		{ capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
	);
	server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }));
	server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
		const tool = TOOLS.find(({ name }) => name === params.name);
		if (!tool) return toResult(404, { message: `There is no tool ${params.name}.` });
		return await callTool(sender(app, request), tool, params.arguments ?? {});
	});
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
): Promise<CallToolResult> {
	const { status, body } = await send(call, given);
	if (!waits || status !== 200) return toResult(status, body);
	const { question_id } = body;
	const ended = await send('GET /questions/:question_id', { question_id, wait: WAIT_SECONDS });
	return toResult(ended.status, ended.body);
}

/** Makes a call of the public API as its client does, with the key and from the address of a message. */
type Send = (
	call: Tool['call'],
	given: Record<string, unknown>,
) => Promise<{ status: number; body: Record<string, unknown> }>;

function sender(app: FastifyInstance, { ip, headers: { authorization } }: FastifyRequest): Send {
	return async (call, given) => {
		const { [parameterOf(call) ?? '']: parameter, ...rest } = given;
		const sent = parameterOf(call) === undefined ? [rest] : [parameter, rest];
		// Dots would lead to another path.
		if (/^\.{1,2}$/.test(String(parameter))) return { status: 404, body: NOT_FOUND };
		const { method, path, body } = toRequest(call, sent);
		const answer = await app.inject({
			method: method as InjectOptions['method'],
			url: `/api${path}`,
			remoteAddress: ip,
			headers: { authorization },
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
