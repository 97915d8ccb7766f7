import { z } from 'zod';
import { queryNumber } from './common.ts';
import { MAX_WAIT } from './questions.ts';
import { atMost, text, timestamp } from './text.ts';

/** Taps of one answer: whoever listens starts a workflow for each. */
const MAX_TAPS = 10;

const ID = 'trg_[A-Za-z0-9_-]{22,64}';

/** Chosen by whoever listens, and the same whenever it listens again. */
export const triggerId = z
	.string()
	.regex(new RegExp(`^${ID}$`), 'must be trg_ and 22 to 64 letters, digits, dashes and underscores')
	.describe('Chosen by whoever listens; the same whenever it listens again.');

const IN_PATH = new RegExp(`/triggers/(${ID})$`);

/**
 * The trigger that a webhook button starts, if its URL has the path of one. The server starts it itself, so the host
 * does not matter: it may be reached at several.
 */
export function triggerIn(url: string): { id: string; isEveryTap: boolean } | undefined {
	const { pathname, searchParams } = new URL(url);
	const [, id] = IN_PATH.exec(pathname) ?? [];
	return id === undefined
		? undefined
		: { id, isEveryTap: searchParams.get('every_tap') === 'true' };
}

const session = z
	.string()
	.regex(/^[A-Za-z0-9_-]{16,64}$/, 'must be 16 to 64 letters, digits, dashes and underscores')
	.describe('A random string that identifies the listener. The newest session gets the taps.');

const success = z.literal(true);

export const triggerParams = z.strictObject({ trigger_id: triggerId });

/** Body of PUT /triggers/{trigger_id}. */
export const triggerRequest = z
	.strictObject({
		name: text({ min: 1, max: 128, trim: true }).describe('What lists and phones call it.'),
		session,
		test: z.literal(true).optional().describe('Test mode: gets copies while a session listens.'),
	})
	.meta({ id: 'TriggerRequest' });

export const triggerResponse = z
	.strictObject({
		success,
		last: z.int().min(0).describe('Number of the last tap; 0 before the first.'),
	})
	.meta({ id: 'Trigger' });

/** Query of GET /triggers/{trigger_id}/taps. */
export const triggerTapsQuery = z
	.strictObject({
		session: session.optional(),
		test: z.literal('1').optional().describe('Instead of a session: copies of the taps.'),
		wait: queryNumber(0, MAX_WAIT).default(0).describe('Seconds to wait for a tap.'),
		after: queryNumber(0, Number.MAX_SAFE_INTEGER)
			.default(0)
			.describe('Number of the last tap that this session has got.'),
		limit: queryNumber(1, MAX_TAPS).default(MAX_TAPS).describe('Maximum taps in the response.'),
	})
	.refine(
		({ session: own, test }) => (own === undefined) !== (test === undefined),
		'must have either session or test',
	);

const tapId = z.uuid().describe('Names the tap.');

const triggerTap = z.strictObject({
	tap_id: tapId,
	number: z.int().describe('Later taps of the trigger have larger ones.'),
	button: z.string().describe('Title of the button.'),
	data: z.record(z.string(), z.unknown()).describe('The body of the button.'),
	by: z.strictObject({ user: z.string(), device: z.string() }).describe('Who tapped, and where.'),
	tapped_at: timestamp,
	history_id: z.string().describe('The history entry of the message with the button.'),
});

export const triggerTapsResponse = z
	.strictObject({
		success,
		taps: z.array(triggerTap).describe('Those that are not done, in their order.'),
	})
	.meta({ id: 'TriggerTaps' });

/** Body of POST /triggers/{trigger_id}/done. */
export const tapsDoneRequest = z
	.strictObject({
		taps: atMost(100, z.array(tapId), 'must have at most 100 taps').describe(
			'The `tap_id` of each.',
		),
		end_session: session.optional().describe('The session, if it listens no longer.'),
		test: z.literal(true).optional().describe('Changes nothing while there is a session.'),
	})
	.meta({ id: 'TapsDone' });

export const tapsDoneResponse = z.strictObject({ success }).meta({ id: 'TapsDoneAnswer' });

export type TriggerRequest = z.output<typeof triggerRequest>;
export type TriggerResponse = z.output<typeof triggerResponse>;
export type TriggerTapsQuery = z.output<typeof triggerTapsQuery>;
export type TriggerTapsResponse = z.output<typeof triggerTapsResponse>;
export type TriggerTap = z.output<typeof triggerTap>;
export type TapsDoneRequest = z.output<typeof tapsDoneRequest>;
