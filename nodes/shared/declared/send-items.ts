import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Answer } from '../../../src/rules/answer';
import type { BeckonCall, UploadCall } from '../../../src/rules/call';
import { toNodeError } from '../errors/errors';
import { failedItem } from '../errors/failed-item';
import type { FieldSource } from '../fields/field-reader';
import { createKeys } from '../../../src/n8n/idempotency-key';
import { currentRun } from '../../../src/n8n/run';
import { sendOnce } from '../../../src/n8n/send-once';
import { transport } from '../../../src/n8n/transport';
import { onceOnly } from './once-only';
import type { Declaration } from './plan';
import { createRequests, type ItemRequest, type RequestOf } from './requests';

/** An item before sending: its request or, if it is already known to be invalid, its output. */
type PreparedItem = SendableItem | { output: INodeExecutionData[] };

interface SendableItem {
	request: ItemRequest;
	attachment?: Attachment | undefined;
}

/** A file that is stored before the request that names it. */
interface Attachment {
	upload: () => Promise<UploadCall>;
	/**
	 * @returns the call that names the stored file
	 * @throws if it was not stored
	 */
	attachTo: (call: BeckonCall, answer: Answer) => BeckonCall;
}

/** Finds the file of an item, if its request has one. @throws if it lacks the file, or has one that cannot be stored */
export type FindAttachment = (
	context: IExecuteFunctions,
	itemIndex: number,
	parameters: FieldSource,
) => Promise<Attachment | undefined>;

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
	findAttachment: FindAttachment = async () => undefined,
): Promise<INodeExecutionData[][]> {
	const requestOf = createRequests(context, declaration);
	const prepared: PreparedItem[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		prepared.push(await prepare(context, itemIndex, requestOf, findAttachment));
	}
	const keyOf = createKeys(context);
	const outcomes = await Promise.allSettled(
		prepared.map(async (item, itemIndex) =>
			'request' in item ? await produceOutput(context, itemIndex, item, keyOf) : item.output,
		),
	);
	tellHints(context);
	return [outcomes.flatMap(unwrap)];
}

/** Milliseconds. Shorter waits need no explanation. */
const SHORT_WAIT_MS = 10_000;

/** Explains a long wait and cut texts on the execution. Older versions of n8n have no hints. */
function tellHints(context: IExecuteFunctions): void {
	const { waited, hints } = currentRun(context);
	const [time, unit] = waited < 120_000 ? [waited / 1000, 'seconds'] : [waited / 60_000, 'minutes'];
	const explanation = `Waited ${Math.round(time)} ${unit} because of the rate limit: the server accepts only so many requests per minute. On a server of your own, BECKON_RATE_NOTIFICATIONS and the other settings of this kind change that.`;
	const all = [...(waited < SHORT_WAIT_MS ? [] : [explanation]), ...hints];
	const told = all.map((message) => ({ message, location: 'outputPane' }) as const);
	(context as Partial<IExecuteFunctions>).addExecutionHints?.(...told);
}

function unwrap(outcome: PromiseSettledResult<INodeExecutionData[]>): INodeExecutionData[] {
	if (outcome.status === 'rejected') throw outcome.reason;
	return outcome.value;
}

/** @throws the error of an invalid item, unless the node continues */
async function prepare(
	context: IExecuteFunctions,
	itemIndex: number,
	requestOf: RequestOf,
	findAttachment: FindAttachment,
): Promise<PreparedItem> {
	try {
		const request = await requestOf(itemIndex);
		return { request, attachment: await findAttachment(context, itemIndex, request.parameters) };
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
	keyOf: ReturnType<typeof createKeys>,
): Promise<INodeExecutionData[]> {
	let baseUrl = '';
	try {
		({ baseUrl } = await currentRun(context).access);
		const items = await sendItem(context, itemIndex, item, keyOf);
		return items.map((item) => ({ ...item, pairedItem: { item: itemIndex } }));
	} catch (cause) {
		const error = toNodeError(cause, { node: context.getNode(), itemIndex, baseUrl });
		return [failedItem(context, error, itemIndex)];
	}
}

/**
 * Sends an item's request, unless an earlier try by n8n did.
 * @returns what the operation outputs
 * @throws Refused, and the error of the last attempt
 */
export async function sendItem(
	context: IExecuteFunctions,
	itemIndex: number,
	{ request: { call, sending, exchange }, attachment }: SendableItem,
	keyOf: ReturnType<typeof createKeys>,
): Promise<INodeExecutionData[]> {
	const run = currentRun(context);
	const once = async (one: BeckonCall | UploadCall) => {
		const idempotencyKey = keyOf(itemIndex, one);
		return await sendOnce(context, one, { ...sending, idempotencyKey });
	};
	// In the editor, the author must see at once if the address is wrong.
	const awaitsServer = sending.longestWait < Infinity || context.getMode() !== 'manual';
	const send = async (one: BeckonCall) => {
		let complete = attachment ? undefined : one;
		// The file is stored in the turn of its call, so that the calls keep the order of the items.
		const attempt = async () => {
			complete ??= await attached(one);
			return await once(complete);
		};
		return await transport.transmit(one, attempt, run, { ...sending, awaitsServer });
	};
	const attached = async (one: BeckonCall) => {
		if (!attachment) return one;
		const file = await attachment.upload();
		// The call, and the file with it, waits for a server that is down.
		const stored = await transport.transmit(file, async () => once(file), run, sending);
		return attachment.attachTo(one, stored);
	};
	return await onceOnly(context, itemIndex, call, async () => exchange(send));
}
