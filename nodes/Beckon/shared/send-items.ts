import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isSuccess } from '../../../src/answer';
import type { BeckonCall, CallBuilder } from '../../../src/call';
import { nodeErrorOf, Refused } from '../../../src/errors';
import { FieldReader } from '../../../src/field-reader';
import { parametersOf } from '../../../src/parameters';
import { runOf, type NodeRun } from '../../../src/run';
import { sendOnce } from '../../../src/send-once';
import { transmit } from '../../../src/transmit';
import { sendingOf, type SendingOptions } from './sending-options';

/** What runs when a node with this resource and operation is executed. */
export type Operation = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;

/**
 * An operation that sends one call for each item. All items are on their way at once as far as the
 * allowance, the option Parallel Requests and the order of calls for the same thing permit.
 * @throws the error of the first item that failed, when all have ended, unless the node continues
 */
export function sendItems(build: CallBuilder): Operation {
	return async function () {
		const run = runOf(this);
		const outcomes = await Promise.allSettled(
			this.getInputData().map((_item, itemIndex) => outputOf(this, run, itemIndex, build)),
		);
		return [outcomes.map(valueOf)];
	};
}

function valueOf(outcome: PromiseSettledResult<INodeExecutionData>): INodeExecutionData {
	if (outcome.status === 'rejected') throw outcome.reason;
	return outcome.value;
}

/** The item's output. With "Continue on fail" an error is output too, paired like a success. */
async function outputOf(
	context: IExecuteFunctions,
	run: NodeRun,
	itemIndex: number,
	build: CallBuilder,
): Promise<INodeExecutionData> {
	const pairedItem = { item: itemIndex };
	let baseUrl = '';
	let whenNotFound: string | undefined;
	try {
		({ baseUrl } = await run.access);
		const { call, options } = callOf(context, itemIndex, build);
		({ whenNotFound } = call);
		return { json: await send(context, run, call, { ...options, baseUrl }), pairedItem };
	} catch (cause) {
		const node = context.getNode();
		const error = nodeErrorOf(cause, { node, itemIndex, baseUrl, whenNotFound });
		// The engine fills `json` with the message. Doing so here would make "Retry On Fail" repeat
		// all items, and so send again what has arrived.
		if (context.continueOnFail()) return { json: {}, error, pairedItem };
		throw error;
	}
}

/** @throws InvalidRequest when a field breaks a rule, so that nothing is sent */
function callOf(
	context: IExecuteFunctions,
	itemIndex: number,
	build: CallBuilder,
): { call: BeckonCall; options: SendingOptions } {
	const read = new FieldReader(parametersOf(context, itemIndex));
	const call = build(read);
	const options = sendingOf(read);
	read.assertValid();
	return { call, options };
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
