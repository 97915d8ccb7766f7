import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';

import { isSuccess, type Answer } from './answer';
import type { BeckonCall, CallBuilder } from './call';
import { nodeErrorOf, Refused } from './errors';
import { FieldReader } from './field-reader';
import { atLeast } from './rules';
import { runOf, type NodeRun } from './run';
import { transmit, type Sending } from './transmit';

const DEFAULT_LONGEST_WAIT_SECONDS = 300;

const DEFAULT_PARALLEL_REQUESTS = 1000;

type RoutingRequest = DeclarativeRestApiSettings.ResultOptions;

/**
 * The routing of an operation. n8n's declarative engine has one hook around the HTTP call itself,
 * which it calls pagination; through it each item is built, sent, tried again and paired.
 */
export function routingOf(build: CallBuilder): INodePropertyRouting {
	return {
		send: { paginate: true },
		operations: {
			async pagination(requestData) {
				return [await outputOf(this, requestData, build)];
			},
		},
		output: { postReceive: [wholeAnswer] },
	};
}

/** The item's output. With "Continue on fail" an error is output too, paired like a success. */
async function outputOf(
	context: IExecutePaginationFunctions,
	requestData: RoutingRequest,
	build: CallBuilder,
): Promise<INodeExecutionData> {
	const itemIndex = context.getItemIndex();
	const pairedItem = { item: itemIndex };
	let baseUrl = '';
	let whenNotFound: string | undefined;
	try {
		const run = runOf(context);
		({ baseUrl } = await run.access);
		const { call, ...sending } = callOf(context, build);
		({ whenNotFound } = call);
		const request = requestOf(requestData, baseUrl, call);
		return { json: await send(context, request, run, call, sending), pairedItem };
	} catch (cause) {
		const error = nodeErrorOf(cause, {
			node: context.getNode(),
			itemIndex,
			baseUrl,
			whenNotFound,
		});
		// The engine fills `json` with the message. Doing so here would make "Retry On Fail" repeat
		// all items, and so send again what has arrived.
		if (context.continueOnFail()) return { json: {}, error, pairedItem };
		throw error;
	}
}

/** @throws InvalidRequest when a field breaks a rule, so that nothing is sent */
function callOf(
	context: IExecutePaginationFunctions,
	build: CallBuilder,
): Sending & { call: BeckonCall } {
	const reader = new FieldReader({
		valueOf: (parameter) => context.getNodeParameter(parameter, null),
		timezone: context.getTimezone(),
	});
	const call = build(reader);
	const seconds = reader.number('options.longestWait', 'options.longestWait', atLeast(0));
	const requests = 'options.parallelRequests';
	const parallel = reader.wholeNumber(requests, requests, atLeast(1));
	reader.assertValid();
	return {
		call,
		longestWait: (seconds ?? DEFAULT_LONGEST_WAIT_SECONDS) * 1000,
		parallel: parallel ?? DEFAULT_PARALLEL_REQUESTS,
	};
}

/** @throws Refused for every answer that is no success, and what the transport throws */
async function send(
	context: IExecutePaginationFunctions,
	request: RoutingRequest,
	run: NodeRun,
	call: BeckonCall,
	sending: Sending,
): Promise<IDataObject> {
	const answer = await transmit(call, async () => await attempt(context, request), run, sending);
	if (!isSuccess(answer)) throw new Refused(answer);
	return without(answer.body as IDataObject, call.aliases ?? []);
}

function without(response: IDataObject, names: readonly string[]): IDataObject {
	return Object.fromEntries(Object.entries(response).filter(([name]) => !names.includes(name)));
}

/** The engine's request, with what its description leaves open. */
function requestOf(
	request: RoutingRequest,
	baseURL: string,
	{ method, path, body }: BeckonCall,
): RoutingRequest {
	const own = { baseURL, url: path, method, body, ignoreHttpStatusErrors: true };
	return { ...request, options: { ...request.options, ...own } };
}

/** One request; every HTTP status is an answer. */
async function attempt(
	context: IExecutePaginationFunctions,
	{ options, ...request }: RoutingRequest,
): Promise<Answer> {
	// The engine and its HTTP client write into the options that they get.
	const [item] = await context.makeRoutingRequest({ ...request, options: { ...options } });
	return (item as AnswerItem).json;
}

type AnswerItem = INodeExecutionData & { json: Answer };

/** Status and headers reach only actions that run after the request: this one hands all on. */
async function wholeAnswer(
	_items: INodeExecutionData[],
	{ statusCode, headers, body }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const answer: Answer = { status: statusCode, headers, body };
	return [{ json: answer as Answer & IDataObject }];
}
