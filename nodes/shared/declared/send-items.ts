import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Answer } from '../../../src/rules/answer';
import type { BeckonCall, UploadCall } from '../../../src/rules/call';
import { toNodeError } from '../errors/errors';
import { failedItem } from '../errors/failed-item';
import type { FieldSource } from '../fields/field-reader';
import { createKeys, type KeyOf } from '../../../src/n8n/idempotency-key';
import { currentRun } from '../../../src/n8n/run';
import { sendOnce } from '../../../src/n8n/send-once';
import { transport } from '../../../src/n8n/transport';
import { onceOnly } from './once-only';
import type { Declaration } from './plan';
import { DeclaredRequests, type ItemRequest } from './requests';

/** An item before sending: its request or, if it is already known to be invalid, its output. */
type PreparedItem =
	{ request: ItemRequest; attachment: Attachment | undefined } | { output: INodeExecutionData[] };

type SendableItem = Extract<PreparedItem, { request: ItemRequest }>;

/** A file that is stored before the request that names it. */
interface Attachment {
	upload: () => Promise<UploadCall>;
	/**
	 * @returns the call that names the stored file
	 * @throws if it was not stored
	 */
	attachTo: (call: BeckonCall, answer: Answer) => BeckonCall;
}

/** Finds the file of an item, if its request has one. @throws if it lacks the file */
export type FindAttachment = (
	context: IExecuteFunctions,
	itemIndex: number,
	parameters: FieldSource,
) => Attachment | undefined;

/**
 * Sends the declared request of each item. All are under way at once, as far as the allowance, the
 * option Parallel Requests and the order of calls for the same thing permit.
 * @throws unless the node continues: the error of the first invalid item, before anything is sent, so a
 *   corrected run sends nothing twice; or, once all items have ended, the error of the first that
 *   failed
 */
export async function sendItems(
	context: IExecuteFunctions,
	declaration: Declaration,
	findAttachment: FindAttachment = () => undefined,
): Promise<INodeExecutionData[][]> {
	const requests = new DeclaredRequests(context, declaration);
	const prepared: PreparedItem[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		prepared.push(await prepare(context, itemIndex, requests, findAttachment));
	}
	const keyOf = createKeys(context);
	const outcomes = await Promise.allSettled(
		prepared.map(async (item, itemIndex) =>
			'request' in item ? await produceOutput(context, itemIndex, item, keyOf) : item.output,
		),
	);
	tellWait(context);
	return [outcomes.flatMap(unwrap)];
}

/** Milliseconds. Shorter waits need no explanation. */
const SHORT_WAIT = 10_000;

/** Adds a hint to the execution that explains a long wait. Older versions of n8n have no hints. */
function tellWait(context: IExecuteFunctions): void {
	const { waited } = currentRun(context);
	if (waited < SHORT_WAIT) return;
	const time =
		waited < 120_000
			? `${Math.round(waited / 1000)} seconds`
			: `${Math.round(waited / 60_000)} minutes`;
	(context as Partial<IExecuteFunctions>).addExecutionHints?.({
		message: `Waited ${time} for the allowance of the API key: the service takes only so many requests a minute.`,
		location: 'outputPane',
	});
}

function unwrap(outcome: PromiseSettledResult<INodeExecutionData[]>): INodeExecutionData[] {
	if (outcome.status === 'rejected') throw outcome.reason;
	return outcome.value;
}

/** @throws the error of an invalid item, unless the node continues */
async function prepare(
	context: IExecuteFunctions,
	itemIndex: number,
	requests: DeclaredRequests,
	findAttachment: FindAttachment,
): Promise<PreparedItem> {
	try {
		const request = await requests.requestFor(itemIndex);
		return { request, attachment: findAttachment(context, itemIndex, request.parameters) };
	} catch (cause) {
		const node = context.getNode();
		const sendsOthers = context.continueOnFail();
		const error = toNodeError(cause, { node, itemIndex, baseUrl: '', sendsOthers });
		return { output: [failedItem(context, error, itemIndex)] };
	}
}

/** The item's output, once its request is answered. */
async function produceOutput(
	context: IExecuteFunctions,
	itemIndex: number,
	item: SendableItem,
	keyOf: KeyOf,
): Promise<INodeExecutionData[]> {
	let baseUrl = '';
	try {
		({ baseUrl } = await currentRun(context).access);
		const once: SendOne = async (one) => {
			const idempotencyKey = keyOf(itemIndex, one);
			return await sendOnce(context, one, { ...item.request.sending, baseUrl, idempotencyKey });
		};
		const items = await onceOnly(
			context,
			itemIndex,
			item.request.call,
			async () => await sent(context, item, once),
		);
		return items.map((item) => ({ ...item, pairedItem: { item: itemIndex } }));
	} catch (cause) {
		const error = toNodeError(cause, { node: context.getNode(), itemIndex, baseUrl });
		return [failedItem(context, error, itemIndex)];
	}
}

/** One attempt. */
type SendOne = (call: BeckonCall | UploadCall) => Promise<Answer>;

async function sent(
	context: IExecuteFunctions,
	{ request: { call, sending, receive }, attachment }: SendableItem,
	once: SendOne,
): Promise<INodeExecutionData[]> {
	const run = currentRun(context);
	let complete = attachment ? undefined : call;
	// The file is stored in the turn of its call, so that the calls keep the order of the items.
	const attempt = async () => {
		complete ??= await attached();
		return await once(complete);
	};
	const attached = async () => {
		if (!attachment) return call;
		const upload = await attachment.upload();
		const answer = await transport.transmit(upload, async () => await once(upload), run, sending);
		return attachment.attachTo(call, answer);
	};
	return await receive(await transport.transmit(call, attempt, run, sending));
}
