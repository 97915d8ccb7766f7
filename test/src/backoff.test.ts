import type { Answer } from '../../src/answer.ts';
import { AllowanceUsedUp, sendWithBackoff } from '../../src/backoff.ts';

const MINUTES = 60_000;

const success: Answer = { status: 200, headers: {}, body: { success: true } };

const refused = (headers: Record<string, string> = {}, body: object = {}): Answer => ({
	status: 429,
	headers,
	body: { error: 'Too many requests', message: 'Slow down.', ...body },
});

/** Sends into a list of answers, on a clock that waiting moves. */
async function send(answers: Answer[], longestWait = 5 * MINUTES) {
	let now = 0;
	let sent = 0;
	const waits: number[] = [];
	const outcome = await sendWithBackoff(async () => answers[sent++] ?? success, {
		longestWait,
		now: () => now,
		wait: async (milliseconds) => {
			waits.push(milliseconds);
			now += milliseconds;
		},
	}).catch((error: unknown) => error);
	return { outcome, waits, sent };
}

test('an answer that is no refusal is final', async () => {
	expect(await send([success])).toEqual({ outcome: success, waits: [], sent: 1 });
});

test('a refusal waits as long as it says, then tries again', async () => {
	const { outcome, waits } = await send([refused({ 'retry-after': '42' })]);

	expect(outcome).toBe(success);
	expect(waits).toEqual([42_000]);
});

test('without a header, or told to come at once, the waits grow', async () => {
	const { waits } = await send([refused(), refused(), refused({ 'retry-after': '0' })]);

	expect(waits).toEqual([1000, 2000, 4000]);
});

test('a full phone is final: time does not help', async () => {
	const full = refused({ 'retry-after': '1' }, { limit: 5, active: 5 });

	expect(await send([full])).toEqual({ outcome: full, waits: [], sent: 1 });
});

test.each([400, 401, 500, 502, 503, 504])(
	'status %i is final: repeating could duplicate',
	async (status) => {
		const answer = { ...success, status };

		expect(await send([answer])).toEqual({ outcome: answer, waits: [], sent: 1 });
	},
);

test('waits beyond the longest end in an error that says when the allowance returns', async () => {
	const { outcome, waits } = await send(
		Array<Answer>(9).fill(refused({ 'retry-after': '60' })),
		3 * MINUTES,
	);

	expect(waits).toEqual([60_000, 60_000, 60_000]);
	expect(outcome).toBeInstanceOf(AllowanceUsedUp);
	expect(outcome).toMatchObject({ returnsIn: 60_000, returnsAt: new Date(4 * MINUTES) });
});
