import type { TapRequest, TapResponse } from '../../contract/device.ts';
import type { Answer } from '../../contract/shown.ts';
import { type Db, fromJson, type TapRow } from '../../store/schema.ts';
import { type ChoiceButton, type StoredAction, triggerOf } from '../shown/buttons.ts';
import { isPaired, notPaired, type Device } from '../phones/pairing.ts';
import { notFound } from '../refusal.ts';
import { announceStart, startByTap, type StartedTrigger } from '../triggers/taps.ts';
import { alreadyAnswered, BUSY, describeResult, ENDED, NEVER_KNOWN, NOT_REACHED } from './words.ts';
import { setTimeout } from 'node:timers/promises';
import type { PhoneAnswerResponse } from '../../contract/questions.ts';
import { endRepeats } from '../sending/repeats.ts';
import { recordTap, tapOfDevice, tapsWithoutOutcome, updateTap } from '../../store/taps/taps.ts';
import { type Context, isoTime } from '../context.ts';
import { answerOnPhone } from '../questions/answer.ts';
import { toShownAnswer } from '../questions/question.ts';
import { loadStillReached } from '../sending/audience.ts';
import { storeAnswer } from './answer.ts';
import { lastAnswer, findTapTarget } from './target.ts';

/** Milliseconds a tap waits for its turn: long enough for a slow webhook and a crashed one before it. */
const TURN_TIMEOUT_MS = 30_000;

/** Interval between checks for the outcome of another tap or another server. */
const POLL_EVERY_MS = 250;
const MAX_POLLS = TURN_TIMEOUT_MS / POLL_EVERY_MS;

/** Everything needed to handle one report. */
interface Reported {
	context: Context;
	device: Device;
	tap: TapRequest;
	/** Aborted when the server stops: ends the wait for other taps. */
	stopping: AbortSignal | undefined;
	/** The taps it waits for, with the start of its watch. */
	watched: Map<string, number>;
}

/** Identifies a tap in this process: its id is unique only on its device, which chose it. */
const nameOf = (deviceId: string, tapId: string) => `${deviceId} ${tapId}`;

/** Loads all facts about the tap, and decides. @returns `isUnstored`: it depends on an answer that is not stored yet */
async function decide(db: Db, { context, device, tap, watched }: Reported) {
	const { tapOutcomes } = context;
	const earlier = await tapOfDevice(db, device.id, tap.tap_id);
	const tapped = earlier ? undefined : await findTapTarget(db, device, tap);
	const rows = tapped ? await tapsWithoutOutcome(db, tapped.historyId) : [];
	const others = rows.map(({ device_id: deviceId, id }) => nameOf(deviceId, id));
	const unstored = others
		.map((other) => tapOutcomes.unstoredResponse(other)?.answer)
		.find((answer) => answer?.final);
	const channels = tapped?.channels ?? null;
	const isReached = await loadStillReached(db, channels ? [device.id] : []);
	// The link of a push never changes: the phone has it already.
	const hasLink = tapped?.kind === 'push' && tapped.button?.type === 'open_url';
	const linkKey = context.settings.linkKeyOf?.(tapped?.historyId ?? '');
	const isOwnLink = !('link_key' in tap) || tap.link_key === linkKey;
	const decision = decideTap({
		earlier,
		button: tapped?.isOutdated || !isOwnLink ? undefined : tapped?.button,
		isReached: hasLink || isReached(device.id, channels),
		answer: unstored ?? (tapped && lastAnswer(tapped)),
		// All of them are watched from the first check.
		isPending: others.filter((other) => tapOutcomes.mayArrive(other, watched)).length > 0,
	});
	return { tapped, decision, isUnstored: unstored !== undefined };
}

/** Decides, and records the tap unless it repeats another or must wait. */
async function decideAndRecord(db: Db, reported: Reported): Promise<TapDecision> {
	const { context, device, tap } = reported;
	const now = context.now();
	const { tapped, decision: decided } = await decide(db, reported);
	if (tapped && 'delivery_id' in tap) await endRepeats(db, device.id, [tap.delivery_id], now);
	if (!tapped || decided.kind === 'repeat' || decided.kind === 'wait' || decided.kind === 'choose')
		return decided;
	if (decided.kind === 'call') context.tapOutcomes.requireRoom();
	const { historyId } = tapped;
	const decision =
		decided.kind === 'start' ? await startByTap(db, reported, { ...decided, historyId }) : decided;
	const isSettled = decision.kind === 'respond';
	await recordTap(db, {
		device_id: device.id,
		id: tap.tap_id,
		history_id: historyId,
		user_name: device.user_name,
		device_name: device.name,
		button: isSettled ? decision.button : decision.button.title,
		outcome_json: isSettled ? JSON.stringify(decision.response) : null,
		created_at: now,
	});
	return decision;
}

/** Waits until no other tap on the entry is being handled, then decides. */
async function decideWhenFree(reported: Reported): Promise<TapDecision> {
	const { context, device, stopping } = reported;
	for (let looks = 0; ; looks += 1) {
		// Read before writing: the store may accept no writes, and most repeated reports arrive after the first.
		const seen = await decide(context.database.read, reported);
		let { decision } = seen;
		if (decision.kind === 'repeat' || decision.kind === 'choose' || seen.isUnstored)
			return decision;
		// The first time in any case: a tap ends repeats even if it must wait.
		if (decision.kind !== 'wait' || looks === 0)
			decision = await context.database.write(device.account_id, (db) =>
				decideAndRecord(db, reported),
			);
		if (decision.kind !== 'wait' || looks >= MAX_POLLS || stopping?.aborted) return decision;
		await setTimeout(POLL_EVERY_MS);
		if (!(await isPaired(context, device))) throw notPaired();
	}
}

/** Calls the webhook. @returns the response, and a function that stores the outcome and sends it to the phones */
async function callWebhook({ context, device, tap }: Reported, called: StoredAction) {
	if (called.type !== 'webhook') throw new Error('Only a webhook is called');
	const { account_id: accountId, user_name: user, name } = device;
	const at = isoTime(context.now());
	const tapped = { id: tap.tap_id, user, device: name, at };
	const result = await context.webhooks.call(accountId, called, tapped);
	const outcome = describeResult(result);
	const answer: Answer | undefined =
		outcome.outcome === 'called' && result.kind === 'responded'
			? {
					button: called.title,
					by: user,
					device: name,
					at,
					...(result.message !== undefined && { message: result.message }),
					final: result.final === true,
				}
			: undefined;
	const response: TapResponse = { ...outcome, ...(answer && { answer }) };
	const store = async () => {
		const deliveries = await context.database.write(accountId, async (db) => {
			await updateTap(db, device.id, tap.tap_id, { outcome_json: JSON.stringify(response) });
			return answer ? storeAnswer(db, context, { device, tap, called, answer }) : [];
		});
		// The response does not wait for the push services of the other phones.
		void context.outbox.deliverNow(deliveries);
	};
	return { response, store };
}

/**
 * The outcome of a tap reported before. The webhook may still be running on another server with the same
 * database, or that server was killed and the outcome will never be known.
 */
async function awaitEarlierOutcome(reported: Reported, earlier: TapRow): Promise<TapResponse> {
	const { context, stopping, watched } = reported;
	const { device_id: deviceId, id } = earlier;
	const { database, tapOutcomes } = context;
	const name = nameOf(deviceId, id);
	let outcome = earlier.outcome_json;
	while (outcome === null) {
		const response = tapOutcomes.unstoredResponse(name);
		if (response) return response;
		if (stopping?.aborted || !tapOutcomes.mayArrive(name, watched)) break;
		await setTimeout(POLL_EVERY_MS);
		outcome = (await tapOfDevice(database.read, deviceId, id))?.outcome_json ?? null;
	}
	const response = fromJson<TapResponse | PhoneAnswerResponse>(outcome);
	return response ? toTapResponse(response) : { outcome: 'failed', message: NEVER_KNOWN };
}

/** The outcome of an answer to a question, in the form of a tap's outcome. */
function toTapResponse(response: TapResponse | PhoneAnswerResponse): TapResponse {
	if (!('question' in response)) return response;
	const { outcome, message, question } = response;
	const answer = question.answer && toShownAnswer(question, question.answer);
	const end = outcome === 'answered' ? 'called' : 'refused';
	return { outcome: end, message, ...(answer && { answer }) };
}

async function handleReport(reported: Reported): Promise<TapResponse> {
	const { context, device, tap } = reported;
	const decision = await decideWhenFree(reported);
	switch (decision.kind) {
		case 'repeat':
			return awaitEarlierOutcome(reported, decision.earlier);
		case 'respond':
			if (decision.started) announceStart(context, decision.started);
			return decision.response;
		case 'wait':
			return { outcome: 'failed', message: BUSY };
		case 'start':
			throw new Error('A tap that starts a trigger must be settled in decideAndRecord');
		case 'choose': {
			const { question_id: id, choice } = decision.button;
			const answer = { tap_id: tap.tap_id, choice };
			return toTapResponse(await answerOnPhone(context, device, id, answer));
		}
		case 'call':
			return context.tapOutcomes.callAndStore(nameOf(device.id, tap.tap_id), () =>
				callWebhook(reported, decision.button),
			);
	}
}

/** The reports this process is handling, by device and tap. */
const inProgress = new WeakMap<Context, Map<string, Promise<TapResponse>>>();

/**
 * Handles a tap on a button. The server calls webhooks on the device's behalf, those of one push or Live
 * Activity one at a time (docs/api-decisions.md "Webhooks"). A report repeated with the same `tap_id` calls
 * nothing twice: it waits for the outcome of the first and returns it.
 * @param stopping aborted when the server stops, which ends the wait for other taps
 * @throws Refusal `not_found`, or `unauthorized` for a phone that was disconnected meanwhile
 */
export function reportTap(
	context: Context,
	device: Device,
	tap: TapRequest,
	stopping?: AbortSignal,
): Promise<TapResponse> {
	const reports = inProgress.get(context) ?? new Map<string, Promise<TapResponse>>();
	inProgress.set(context, reports);
	const key = nameOf(device.id, tap.tap_id);
	const first = reports.get(key);
	if (first) return first;
	const outcome = handleReport({ context, device, tap, stopping, watched: new Map() }).finally(() =>
		reports.delete(key),
	);
	reports.set(key, outcome);
	return outcome;
}

/** Everything known about a tap, read in one transaction. */
interface TapSituation {
	/** An earlier report of this device with the same id. */
	earlier: TapRow | undefined;
	/** The button as currently configured by the sender; undefined: the phone shows no such button. */
	button: StoredAction | undefined;
	/** False for a phone that is no longer in the channels it was sent to, and may not get what came since. */
	isReached: boolean;
	/** The last answer accepted by the webhook. */
	answer: Answer | undefined;
	/** True while another tap on the same push or Live Activity is being handled, here or on another server. */
	isPending: boolean;
}

/** The way a tap is handled. */
type TapDecision =
	| { kind: 'repeat'; earlier: TapRow }
	| { kind: 'respond'; button: string; response: TapResponse; started?: StartedTrigger }
	| { kind: 'wait' }
	| { kind: 'choose'; button: ChoiceButton }
	| { kind: 'call'; button: StoredAction }
	/** A trigger takes it, in the write that records it. */
	| { kind: 'start'; button: StoredAction };

/**
 * Decides how to handle a tap (docs/api-decisions.md "Webhooks"): a question has one answer, and its
 * webhooks are called one at a time.
 * @throws Refusal `not_found` when the device shows no such button
 */
function decideTap({ earlier, button, isReached, answer, isPending }: TapSituation): TapDecision {
	if (earlier) return { kind: 'repeat', earlier };
	if (!button)
		throw notFound('Button not found', 'This phone does not show this button, or no longer does.');
	const { title } = button;
	const respond = (response: TapResponse) =>
		({ kind: 'respond', button: title, response }) satisfies TapDecision;
	if (button.type === 'open_url' && isReached)
		return respond({ outcome: 'open', url: button.url, message: 'Open this URL.' });
	// The question decides whether it is still open.
	if (button.type === 'choice') return { kind: 'choose', button };
	const refuse = (message: string) => respond({ outcome: 'refused', message });
	if (!isReached) return refuse(NOT_REACHED);
	const closing = answer?.final ? answer : button.first;
	if (closing)
		return respond({ outcome: 'refused', message: alreadyAnswered(closing), answer: closing });
	if (button.closed) return refuse(ENDED);
	if (isPending) return { kind: 'wait' };
	return { kind: triggerOf(button) ? 'start' : 'call', button };
}
