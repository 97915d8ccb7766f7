import {
	deepCopy,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import type { Answer } from '../../../src/rules/answer';
import type { BeckonCall } from '../../../src/rules/call';
import { Refused } from '../errors/errors';
import { FieldReader, type FieldSource } from '../fields/field-reader';
import type { Issue } from '../fields/issues';
import { createParameterReader } from './parameters';
import { readSendingOptions, type SendingOptions } from './sending-options';
import { withPanelNames } from './panel-names';
import { plainValue, setAt } from './plain-field';
import { createPlanner, type Declaration, type Pagination, type Plan } from './plan';

/** The request of one item: its content, its sending, and the handling of its answer. */
export interface ItemRequest {
	/** The parameter values that the request contains: evaluated again, an expression may give another value. */
	parameters: FieldSource;
	call: BeckonCall;
	sending: SendingOptions;
	/**
	 * Sends the call, or those for the pages of a list.
	 * @returns what the operation outputs
	 * @throws Refused, and anything else that the operation's `postReceive` throws
	 */
	exchange: (send: (call: BeckonCall) => Promise<Answer>) => Promise<INodeExecutionData[]>;
}

/** @throws InvalidRequest naming every field that breaks a rule */
export type RequestOf = (itemIndex: number) => Promise<ItemRequest>;

/**
 * Makes the requests that a node's description declares, in the part of n8n's vocabulary that
 * docs/node-requests.md names: `routing.request` and `routing.output.postReceive` of the chosen
 * operation, `routing.send.property` and `routing.send.preSend` of its shown fields. It resolves each
 * parameter once, however many fields and hooks read it.
 */
export function createRequests(context: IExecuteFunctions, declaration: Declaration): RequestOf {
	assertVersion(context.getNode(), declaration);
	const planFor = createPlanner(declaration, context.getNode());
	const parametersFor = createParameterReader(context);
	return async (itemIndex) => {
		const parameters = parametersFor(itemIndex);
		const plan = planFor(parameters.valueOf);
		const item = createItemContext(context, parameters, itemIndex);
		const read = new FieldReader(parameters);
		const options = await requestOf(plan, item, read);
		const sending = readSendingOptions(read);
		const named = (issues: readonly Issue[]) =>
			withPanelNames(issues, declaration, plan.fields, parameters);
		read.assertValid(named);
		const exchange: ItemRequest['exchange'] = async (send) => {
			const makeRoutingRequest = async (one: Pick<Paged, 'options'>) => {
				const answer = await send(toCall(one.options as IHttpRequestOptions));
				return await received(plan, item, answer).catch((error: unknown) => {
					if (error instanceof Refused) error.issues = named(error.issues);
					throw error;
				});
			};
			const paged = { options, preSend: [], postReceive: [] };
			return plan.pagination
				? await plan.pagination.call(derived(item, { makeRoutingRequest }), paged)
				: await makeRoutingRequest(paged);
		};
		return { parameters, call: toCall(options), sending, exchange };
	};
}

/** n8n silently drops parameters that the description lacks: in another version, they may be the recipients. */
function assertVersion(node: INode, { version }: Declaration): void {
	if (node.typeVersion === version) return;
	const words = `This node is of version ${node.typeVersion}, but version ${String(version)} is installed`;
	const description =
		'Nothing was sent: n8n drops the settings that the installed version does not have. Add the Beckon node to the workflow again, or check its settings and set its typeVersion.';
	throw new NodeOperationError(node, words, { description });
}

type Paged = Parameters<Pagination>[0];

async function requestOf(
	{ request: declared, fields }: Plan,
	item: IExecuteSingleFunctions,
	read: FieldReader,
): Promise<IHttpRequestOptions> {
	if (!declared) throw noSuchOperation(item, read);
	const body = deepCopy((declared.body ?? {}) as IDataObject);
	let request = { ...declared, body } as IHttpRequestOptions;
	for (const routed of fields.filter(({ isGiven }) => isGiven)) {
		const { property, preSend = [] } = routed.field.routing?.send ?? {};
		if (property !== undefined) {
			const value = plainValue(read, routed, property);
			if (value !== undefined) setAt(body, property, value);
		}
		for (const hook of preSend) {
			request = await read.collecting(request, async () => await hook.call(item, request));
		}
	}
	return request;
}

const toCall = ({ method, url, body, headers }: IHttpRequestOptions): BeckonCall => ({
	method: method as BeckonCall['method'],
	path: url,
	body: body as IDataObject,
	...(headers && { headers: headers as BeckonCall['headers'] }),
});

function noSuchOperation(item: IExecuteSingleFunctions, read: FieldReader): NodeOperationError {
	const operation = read.text('operation', 'operation') ?? '';
	const resource = read.text('resource', 'resource') ?? '';
	return new NodeOperationError(
		item.getNode(),
		`Beckon has no operation "${operation}" for the resource "${resource}"`,
		{ description: 'Choose the resource and the operation in the node again.' },
	);
}

/** n8n's context of the node, as a hook sees it: with the parameters of one item. */
function createItemContext(
	context: IExecuteFunctions,
	parameters: FieldSource,
	itemIndex: number,
): IExecuteSingleFunctions {
	return derived(context as unknown as IExecuteSingleFunctions, {
		getNodeParameter: (parameter: string, fallback?: unknown) =>
			parameters.valueOf(parameter) ?? fallback,
		getItemIndex: () => itemIndex,
	});
}

/** An object derived from the original, which stays unchanged, with further members. */
const derived = <T extends object, M extends object>(original: T, members: M): T & M =>
	Object.assign(Object.create(original) as T, members);

/** As in n8n: one item that is the body, passed from action to action. */
async function received(
	{ postReceive }: Plan,
	item: IExecuteSingleFunctions,
	{ status, headers, body }: Answer,
): Promise<INodeExecutionData[]> {
	const response = { statusCode: status, headers, body } as IN8nHttpFullResponse;
	let items: INodeExecutionData[] = [{ json: body as IDataObject }];
	for (const action of postReceive) items = await action.call(item, items, response);
	return items;
}
