import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isSuccess } from '../../../src/answer';
import type { BeckonCall, CallBuilder } from '../../../src/call';
import { nodeErrorOf, Refused } from '../../../src/errors';
import { FieldReader } from '../../../src/field-reader';
import { parametersOf } from '../../../src/parameters';
import { runOf, type NodeRun } from '../../../src/run';
import { sendOnce } from '../../../src/send-once';
import { transmit } from '../../../src/transmit';
import { failedItem } from './failed-item';
import { sendingOf, type SendingOptions } from './sending-options';

/** What runs when a node with this resource and operation is executed. */
export type Operation = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;

/** What is sent for one item, and how. */
interface ItemRequest {
	call: BeckonCall;
	options: SendingOptions;
}

/** An item before anything is sent: its request or, where it is invalid already, its output. */
type PreparedItem = { request: ItemRequest } | { output: INodeExecutionData };

/**
 * An operation that sends one call for each item. All items are on their way at once as far as the
 * allowance, the option Parallel Requests and the order of calls for the same thing permit.
 * @throws unless the node continues: the error of the first invalid item, before anything is sent, so
 *   that a run after its correction sends nothing twice; or, when all items have ended, that of the
 *   first that failed
 */
export function sendItems(build: CallBuilder): Operation {
	return async function () {
		const prepared = this.getInputData().map((_item, itemIndex) => prepare(this, itemIndex, build));
		const outcomes = await Promise.allSettled(
			prepared.map(async (item, itemIndex) =>
				'request' in item ? await outputOf(this, itemIndex, item.request) : item.output,
			),
		);
		return [outcomes.map(valueOf)];
	};
}

function valueOf(outcome: PromiseSettledResult<INodeExecutionData>): INodeExecutionData {
	if (outcome.status === 'rejected') throw outcome.reason;
	return outcome.value;
}

/** @throws the error of an invalid item where the node does not continue */
function prepare(context: IExecuteFunctions, itemIndex: number, build: CallBuilder): PreparedItem {
	try {
		return { request: requestOf(context, itemIndex, build) };
	} catch (cause) {
		const node = context.getNode();
		const sendsOthers = context.continueOnFail();
		const error = nodeErrorOf(cause, { node, itemIndex, baseUrl: '', sendsOthers });
		return { output: failedItem(context, error, itemIndex) };
	}
}

/** @throws InvalidRequest when a field breaks a rule */
function requestOf(context: IExecuteFunctions, itemIndex: number, build: CallBuilder): ItemRequest {
	const read = new FieldReader(parametersOf(context, itemIndex));
	const call = build(read);
	const options = sendingOf(read);
	read.assertValid();
	return { call, options };
}

/** The item's output, once its request is answered. */
async function outputOf(
	context: IExecuteFunctions,
	itemIndex: number,
	{ call, options }: ItemRequest,
): Promise<INodeExecutionData> {
	const run = runOf(context);
	let baseUrl = '';
	try {
		({ baseUrl } = await run.access);
		const json = await send(context, run, call, { ...options, baseUrl });
		return { json, pairedItem: { item: itemIndex } };
	} catch (cause) {
		const { whenNotFound } = call;
		const error = nodeErrorOf(cause, { node: context.getNode(), itemIndex, baseUrl, whenNotFound });
		return failedItem(context, error, itemIndex);
	}
}

/** @throws Refused for every answer that is no success, and what the transport throws */
async function send(
	context: IExecuteFunctions,
	run: NodeRun,
	call: BeckonCall,
	options: SendingOptions & { baseUrl: string },
): Promise<IDataObject> {
	const attempt = async () => await sendOnce(context, call, options);
	const answer = await transmit(call, attempt, run, options);
	if (!isSuccess(answer)) throw new Refused(answer);
	return without(answer.body as IDataObject, call.aliases ?? []);
}

function without(response: IDataObject, names: readonly string[]): IDataObject {
	return Object.fromEntries(Object.entries(response).filter(([name]) => !names.includes(name)));
}
