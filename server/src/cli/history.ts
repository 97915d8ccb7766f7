import { z } from 'zod';
import {
	type HistoryDelivery,
	type EntryDetail,
	historyPartQuery,
} from '../contract/console/history.ts';
import { DELIVERY_STATES, phonesInWords } from '../contract/delivery-states.ts';
import { callbackWords, stepWords, tapOutcome } from '../contract/history-words.ts';
import { historyEntry } from '../service/history/entry.ts';
import { newestHistory } from '../service/history/list.ts';
import { repeatCallback } from '../service/questions/callbacks.ts';
import { accountCommand, group, listing, names, optional, required } from './commands.ts';

const TAGS = 'only entries with all of these tags, separated by commas';

const limit = z
	.string()
	.transform(Number)
	.refine((value) => Number.isInteger(value) && value >= 1 && value <= 1_000, 'Use 1 to 1000.');

const BEFORE = 'show the deliveries before this cursor from an earlier output; default: the newest';

/** The journey of an entry: accepted, sent to each phone with each failure, shown, tapped and answered. */
function linesOf(entry: EntryDetail): string[] {
	const { key, request_id: request, channels, earlier } = entry;
	const by = `${key ? `with the key ${key.name}` : 'without a key'}${request ? `, request ${request}` : ''}`;
	return [
		`${entry.title} (${entry.kind} ${entry.id})`,
		`${entry.created_at}  Accepted ${by}, for ${channels?.join(', ') ?? 'every phone'}`,
		...(earlier === null ? [] : [`Earlier deliveries: --before ${earlier}`]),
		...entry.lifecycle.flatMap((message) => [
			`${message.created_at}  ${stepWords(message)}`,
			...message.deliveries.flatMap(deliveryLines),
		]),
		...entry.taps.map(
			(tap) => `${tap.at}  ${tap.user} tapped ${tap.button} on ${tap.device}: ${tapOutcome(tap)}`,
		),
		...(entry.ended_at === null ? [] : [`${entry.ended_at}  Ended ${entry.end_reason ?? ''}`]),
		...(entry.question ? [callbackWords(entry.question) ?? []].flat() : []),
	];
}

function deliveryLines(delivery: HistoryDelivery): string[] {
	const { device, state, error, advice } = delivery;
	const times = [
		[delivery.handed_over_at, 'handed to the push service'],
		[delivery.acknowledged_at, 'shown by the phone'],
		[delivery.dismissed_at, 'dismissed'],
	].filter(([at]) => at !== null);
	const isKnown = delivery.failures.at(-1)?.reason === error;
	return [
		`  ${device}: ${DELIVERY_STATES[state]}`,
		...delivery.failures.map(({ at, reason }) => `    ${at}  attempt failed: ${reason}`),
		...(error === null || isKnown ? [] : [`    ${error}`]),
		...times.map(([at, what]) => `    ${at}  ${what}`),
		...(advice === null ? [] : [`    ${advice}`]),
	];
}

export const history = group('what was sent', {
	list: accountCommand(
		'list the newest pushes, badges and Live Activities, with their outcome on the phones',
		{
			options: {
				tags: required('--tags <tags>', TAGS, names).default([]),
				limit: required('--limit <n>', 'how many at most', limit).default(20),
			},
			run: async (context, { id }, options) =>
				listing(await newestHistory(context, id, options), {
					ID: 'id',
					WHEN: 'created_at',
					KIND: 'kind',
					TITLE: 'title',
					TAGS: 'tags',
					ENDED: 'ended_at',
					PHONES: ({ phones }) => phonesInWords(phones),
					REASON: 'reason',
				}),
		},
	),
	'show <id>': accountCommand(
		'show what happened to an entry on each phone, with every attempt, tap and answer; its id is in the header Beckon-History-Id',
		{
			options: { before: optional('--before <part>', BEFORE, historyPartQuery.shape.before) },
			run: async (context, account, { id = '', before }) => {
				const entry = await historyEntry(context, account.id, id, { before });
				return { json: entry, lines: linesOf(entry) };
			},
		},
	),
	'tell-again <id>': accountCommand('tell the workflow again how its question ended', {
		run: async (context, account, { id = '' }) => {
			await repeatCallback(context, account.id, id);
			return { json: { told_again: id }, lines: [`The server calls the callback of ${id} again.`] };
		},
	}),
});
