import { describe, expect, it } from '@jest/globals';
import { answerWords } from '../../src/contract/answer-words.ts';
import type { TapResponse } from '../../src/contract/device.ts';
import type { Answer, Notification as Push } from '../../src/contract/shown.ts';
import { answerText, isQuestion, tapText } from '../../web/device/answers.ts';
import type { TapResult } from '../../web/phone/reports.ts';
import { resultNotification } from '../../web/worker/tap-result.ts';

const at = new Date(2026, 2, 1, 9, 31);
const answer: Answer = {
	button: 'Approve',
	by: 'Ada',
	device: 'Ada’s phone',
	at: at.toISOString(),
	final: true,
};
const time = at.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
const today = new Date(2026, 2, 1, 18).getTime();

describe('an answer', () => {
	it.each([
		['Approve', 'Approved by Ada'],
		['decline', 'Declined by Ada'],
		['Ship it', '“Ship it” by Ada'],
		['Allow', '“Allow” by Ada'],
		['Deny', '“Deny” by Ada'],
		['constructor', '“constructor” by Ada'],
	])('with the button %s reads %s', (button, words) => {
		expect(answerWords({ button, by: 'Ada' })).toBe(words);
	});

	it('that was typed is never taken for a button', () => {
		expect(answerWords({ button: 'decline', typed: true, by: 'Ada' })).toBe('“decline” by Ada');
	});

	it('has the time of the phone, and the day unless it is today', () => {
		expect(answerText(answer, today)).toBe(`Approved by Ada, ${time}`);
		const tomorrow = new Date(2026, 2, 2, 1).getTime();
		const day = at.toLocaleDateString([], { month: 'short', day: 'numeric' });
		expect(answerText(answer, tomorrow)).toBe(`Approved by Ada, ${day}, ${time}`);
	});

	it('is missing where a question is open', () => {
		const push = (fields: Partial<Push>): Push => ({
			title: 'Q',
			interruption_level: 'active',
			sound: 'default',
			...fields,
		});
		const webhook = { title: 'Approve', type: 'webhook' as const };
		const link = { title: 'Open', type: 'open_url' as const, url: 'https://example.com' };
		expect(isQuestion(push({ actions: [link, webhook] }))).toBe(true);
		expect(isQuestion(push({}))).toBe(false);
		expect(isQuestion(push({ actions: [link] }))).toBe(false);
		expect(isQuestion(push({ actions: [{ ...webhook, closed: true }] }))).toBe(false);
		expect(isQuestion(push({ actions: [webhook], answer }))).toBe(false);
	});
});

describe('what a person reads after a tap', () => {
	it('is what the server says, with the time of the phone', () => {
		expect(tapText({ outcome: 'failed', message: 'Over.' }, today)).toBe('Over.');
		expect(tapText({ outcome: 'refused', message: 'It has ended.' }, today)).toBe('It has ended.');
		expect(tapText({ outcome: 'refused', message: 'At 09:31 UTC', answer }, today)).toBe(
			`Already answered: Approved by Ada, ${time}. This tap changed nothing.`,
		);
	});

	const result = (
		response: Pick<TapResponse, 'outcome' | 'message' | 'answer'>,
		kind = 'push',
	): TapResult => ({
		...response,
		title: 'Approve',
		notification: {
			title: 'Deploy?',
			icon: '/icon.png',
			tag: 'his_1',
			actions: [{ action: '0', title: 'Approve' }],
			data: { kind },
		},
	});
	const shown = (...given: Parameters<typeof result>) =>
		resultNotification(result(...given), today);

	it('takes the place of the notification that was tapped, with a tick only where the tap counted', () => {
		expect(shown({ outcome: 'called', message: 'On its way.', answer })).toMatchObject({
			title: 'Deploy?',
			options: {
				body: `✓ Approved by Ada, ${time}\nOn its way.`,
				tag: 'his_1',
				silent: true,
				actions: [],
			},
		});
		for (const outcome of ['refused', 'failed', 'unclear'] as const) {
			const { options } = shown({ outcome, message: 'Words.', answer })!;
			expect(options.tag).toBe('his_1');
			expect(options.body).not.toContain('✓');
		}
	});

	it('offers the buttons again where the question is still open', () => {
		const actions = [{ action: '0', title: 'Approve' }];
		expect(shown({ outcome: 'failed', message: 'No.' })?.options).toMatchObject({
			body: '“Approve” failed. No.',
			actions,
		});
		const open = { ...answer, final: false };
		const { options } = shown({ outcome: 'called', message: 'Done.', answer: open })!;
		expect(options).toMatchObject({ body: `✓ Approved by Ada, ${time}`, actions });
		expect(shown({ outcome: 'refused', message: '', answer })?.options.actions).toBeUndefined();
	});

	it('needs no notification where a page was opened, or a Live Activity shows it by itself', () => {
		expect(shown({ outcome: 'open', message: '' })).toBeUndefined();
		expect(shown({ outcome: 'called', message: 'Done.', answer }, 'activity')).toBeUndefined();
		const refused = shown({ outcome: 'refused', message: 'Over.' }, 'activity');
		expect(refused?.options).toEqual({ icon: '/icon.png', body: 'Over.' });
	});
});
