import {
	type CallToolResult,
	createMcpHandler,
	isLegacyRequest,
	McpServer,
	type RequestId,
	WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';
import { toRequest } from '../../contract/calls.ts';
import type { Context } from '../../service/context.ts';
import { withdrawAbandoned } from '../../service/questions/answer.ts';
import { hashSecret } from '../../service/secrets.ts';
import { VERSION } from '../../version.ts';
import { requireCaller } from '../gate.ts';
import { asksByDefault, describeTool, parameterOf, type Tool, TOOLS } from './tools.ts';

const INSTRUCTIONS =
	"Beckon reaches people's phones. Use it when a person should learn or decide something now, and sparingly: every push rings.";

/** Less than the minute after which many clients give up. */
const WAIT_SECONDS = 45;

/** Clients that ask for progress do not give up as long as they get some. */
const PROGRESS_SECONDS = 5;

const WAITING = 'Waiting for an answer.';

/** What the library insists on; see `takesEvents`. */
const ACCEPT = 'application/json, text/event-stream';

const GONE = { error: 'Cancelled', message: 'This call was cancelled.' };

const NO_DEFAULT = {
	error: 'Invalid request',
	message:
		'deadline.choice cannot be set here: only a person answers an agent. Leave it out; without an answer, the question expires.',
};

const NOT_FOUND = { error: 'Not found', message: 'There is nothing with this id.' };

const LISTED = { tools: TOOLS.map(describeTool) };

/**
 * Responds to one message of the Model Context Protocol (Streamable HTTP), of revision 2026-07-28 or an older one. Nothing
 * is kept between two messages, so that any of several servers can handle the next one.
 * @param app where the tools' calls are made, as any client makes them: with their limits, scopes, history and audit
 * @param parts `gone`: aborted when the client has hung up
 */
export async function respond(
	app: FastifyInstance,
	request: FastifyRequest,
	{ context, gone }: { context: Context; gone: AbortSignal },
): Promise<Response> {
	const caller = requireCaller(request);
	const { method, headers, body } = request;
	const toCallId = (id: RequestId | undefined) =>
		hashSecret(JSON.stringify([caller.keyId, headers['mcp-session-id'] ?? request.id, id]));
	const { server } = new McpServer(
		{ name: 'beckon', title: 'Beckon', version: VERSION },
		{ capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
	);
	// Others get the result alone, as JSON.
	const takesEvents = headers.accept?.includes('text/event-stream') ?? false;
	server.setRequestHandler('tools/list', () => LISTED);
	server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { id, _meta, notify } }) => {
		const tool = TOOLS.find(({ name }) => name === params.name);
		if (!tool) return toResult(404, { message: `There is no tool ${params.name}.` });
		const withdraw = (id: string) => withdrawAbandoned(context, caller, id);
		const progressToken = takesEvents ? _meta?.progressToken : undefined;
		const report = (progress: number) => {
			if (progressToken === undefined) return;
			const reported = { progressToken, progress, total: WAIT_SECONDS, message: WAITING };
			notify({ method: 'notifications/progress', params: reported }).catch(() => undefined);
		};
		const send = sender(app, request);
		return await context.cancellations.run(toCallId(id), gone, (left) =>
			callTool(send, tool, params.arguments ?? {}, { gone: left, withdraw, report }),
		);
	});
	server.setNotificationHandler('notifications/cancelled', ({ params }) =>
		context.cancellations.cancel(toCallId(params.requestId)),
	);
	const entries = Object.entries({ ...headers, accept: ACCEPT });
	const message = new Request('http://localhost/mcp', {
		method,
		headers: entries.map(([name, value]): [string, string] => [name, String(value)]),
	});
	if (!(await isLegacyRequest(message, body)))
		return await createMcpHandler(() => server, { legacy: 'reject' }).fetch(message, {
			parsedBody: body,
		});
	const { params } = Object(body) as { params?: { _meta?: { progressToken?: unknown } } };
	const transport = new WebStandardStreamableHTTPServerTransport({
		enableJsonResponse: !takesEvents || params?._meta?.progressToken === undefined,
	});
	await server.connect(transport);
	return await transport.handleRequest(message, { parsedBody: body });
}

async function callTool(
	send: Send,
	{ call, waits }: Tool,
	input: Record<string, unknown>,
	{ gone, withdraw, report }: Waiting,
): Promise<CallToolResult> {
	if (asksByDefault(call, input)) return toResult(400, NO_DEFAULT);
	const isGone = () => gone.aborted;
	if (isGone()) return toResult(408, GONE);
	// A tool that waits says how long by itself: while its first call waited, nobody would notice a hang-up.
	const { wait: _wait, ...withoutWait } = input;
	const { status, body } = await send(call, waits ? withoutWait : input);
	if (!waits || status !== 200) return toResult(status, body);
	const { question_id } = body;
	const wait = { question_id, wait: WAIT_SECONDS };
	const waitFor = () => withProgress(report, send('GET /questions/:question_id', wait, gone));
	const ended = isGone()
		? undefined
		: await waitFor().catch((error: unknown) => {
				if (!isGone()) throw error;
				return undefined;
			});
	if (isGone()) await withdraw(String(question_id));
	// It may be refused because too many requests wait; the agent still learns the question's id.
	return ended?.status === 200 ? toResult(200, ended.body) : toResult(status, body);
}

/** Reports at once, and every few seconds until the response is sent. */
async function withProgress<T>(report: Waiting['report'], call: Promise<T>): Promise<T> {
	let seconds = 0;
	const next = () => {
		report(seconds);
		seconds += PROGRESS_SECONDS;
	};
	next();
	const timer = setInterval(next, PROGRESS_SECONDS * 1_000);
	try {
		return await call;
	} finally {
		clearInterval(timer);
	}
}

interface Waiting {
	/** Aborted when the client has hung up or cancelled. */
	gone: AbortSignal;
	withdraw: (questionId: string) => Promise<void>;
	/** Reports progress, in seconds, to a client that asked for it. */
	report: (seconds: number) => void;
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
		const response = await app.inject({
			method: method as InjectOptions['method'],
			url: `/api${path}`,
			remoteAddress: ip,
			headers: { authorization },
			...(signal && { signal }),
			...(body !== undefined && { payload: body as object }),
		});
		return { status: response.statusCode, body: response.json() };
	};
}

/** A refusal is a result too: the model reads what to change. */
function toResult(status: number, body: Record<string, unknown>): CallToolResult {
	return {
		content: [{ type: 'text', text: JSON.stringify(body) }],
		...(status === 200 ? { structuredContent: body } : { isError: true }),
	};
}
