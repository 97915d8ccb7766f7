import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Delivery, Snapshot } from '../../src/contract/device.ts';
import type { QuestionAnswer, ShownQuestion } from '../../src/contract/questions.ts';
import { answerQuestion } from '../../web/device/answer-question.ts';
import { pageClient } from '../../web/phone/page-client.ts';
import { nextDeparture } from '../../web/device/lock-screen-questions.ts';
import { type LockScreenState, reduce } from '../../web/device/lock-screen-state.ts';
import {
	endWords,
	isAsked,
	mayAnswer,
	ownerOf,
	timeLeft,
	whoWords,
} from '../../web/device/questions.ts';
import { snoozes } from '../../web/device/snoozes.ts';
import { clockTime } from '../../web/device/times.ts';
import { toNotification } from '../../web/worker/notification.ts';
import { resultNotification } from '../../web/worker/tap-result.ts';

const NOW = new Date(2026, 2, 1, 9, 31).getTime();
const HOUR = 3_600_000;
const iso = (after = 0) => new Date(NOW + after).toISOString();
const time = clockTime(NOW, NOW);
const ADA = { id: 'usr_1', name: 'Ada' };
const GRACE = { id: 'usr_2', name: 'Grace' };

const question = (changes: Partial<ShownQuestion> = {}): ShownQuestion => ({
	question_id: 'q1',
	status: 'open',
	choices: [
		{ id: 'yes', title: 'Approve' },
		{ id: 'no', title: 'Decline', destructive: true },
		{ id: 'later', title: 'Later' },
	],
	deadline_at: iso(HOUR),
	callback: 'none',
	...changes,
});
const byAda = { user: 'Ada', device: 'Phone' };
const answered = (answer: Pick<QuestionAnswer, 'choice' | 'text' | 'by'>, callback = 'none') =>
	question({
		status: 'answered',
		ended_at: iso(),
		answer: { ...answer, at: iso() },
		callback: callback as ShownQuestion['callback'],
	});

const delivery = (id: number, asked: ShownQuestion, changes: object = {}): Delivery => ({
	id,
	sent_at: iso(),
	kind: 'push',
	push: { title: 'Deploy?', interruption_level: 'active', sound: 'default', question: asked },
	...changes,
});

describe('the words of a question', () => {
	it('say who may answer', () => {
		expect(whoWords(question())).toBe('Everybody who got it may answer.');
		expect(whoWords(question({ why_not: 'This phone has left.' }))).toBe('This phone has left.');
		expect(whoWords(question({ answerable_by: [ADA] }))).toBe('Only Ada may answer.');
		expect(whoWords(question({ answerable_by: [ADA, GRACE] }))).toBe(
			'Only Ada and Grace may answer.',
		);
		expect(whoWords(question({ answerable_by: [] }))).toBe('Nobody can answer anymore.');
	});

	it.each([
		[30 * 24 * HOUR, '30 days left'],
		[HOUR, '1 hour left'],
		[HOUR - 1, '59 minutes left'],
		[59_999, 'Less than a minute left'],
		[0, 'Time is up'],
	])('say the time left: %d ms', (left, words) => {
		expect(timeLeft(question({ deadline_at: iso(left) }), NOW)).toBe(words);
	});

	it('say what the answer is when the time is over', () => {
		const asked = question({ deadline_choice: 'later' });
		expect(timeLeft(asked, NOW)).toBe('1 hour left, then “Later” is the answer');
		expect(timeLeft(asked, NOW + HOUR)).toBe('Time is up');
	});

	it.each([
		['an open one', question(), undefined],
		['a choice', answered({ choice: 'yes', by: byAda }), `Approved by Ada, ${time}`],
		['a text', answered({ text: 'At nine', by: byAda }), `“At nine” by Ada, ${time}`],
		[
			'a default answer',
			answered({ choice: 'later', by: 'deadline' }),
			`“Later” because nobody answered in time, ${time}`,
		],
		['a form', answered({ by: 'form' }), `Answered in the form, ${time}`],
		[
			'an expired one',
			question({ status: 'expired', ended_at: iso() }),
			`Expired without an answer, ${time}`,
		],
		['a withdrawn one', question({ status: 'withdrawn', ended_at: iso() }), `Withdrawn, ${time}`],
	])('say how it ended: %s', (_which, asked, words) => {
		expect(endWords(asked, NOW)).toBe(words);
	});

	it('say what became of the callback', () => {
		const told = (callback: string) =>
			endWords(answered({ choice: 'yes', by: byAda }, callback), NOW);
		const start = `Approved by Ada, ${time}`;
		expect(told('delivered')).toBe(start);
		expect(told('pending')).toBe(`${start}. The workflow has not been told yet.`);
		expect(told('over')).toBe(`${start}. The workflow had already ended.`);
		expect(told('refused')).toBe(`${start}. The workflow did not accept the answer.`);
	});
});

describe('the people of a question', () => {
	it('may answer if they are named, or nobody is, or the phone does not know', () => {
		const asked = question({ answerable_by: [ADA] });
		expect([ADA.id, GRACE.id, undefined].map((id) => mayAnswer(asked, id))).toEqual([
			true,
			false,
			true,
		]);
		expect(mayAnswer(question(), GRACE.id)).toBe(true);
		expect(mayAnswer(question({ answerable_by: [] }), ADA.id)).toBe(false);
		expect(mayAnswer(question({ why_not: 'This phone has left.' }), ADA.id)).toBe(false);
	});

	it('are not known from a state that an older page saved', () => {
		expect(ownerOf({ name: 'Phone' })).toBeUndefined();
		expect(ownerOf({ user: ADA })).toBe(ADA.id);
	});
});

describe('a question with a Live Activity', () => {
	const asked = (changes: Partial<ShownQuestion> = {}) => [
		{ push: { title: 'Deploy?', question: question({ activity_id: 'a1', ...changes }) } as never },
	];

	it('is shown instead of it while it is open', () => {
		expect(isAsked('a1', asked())).toBe(true);
		expect(isAsked('a2', asked())).toBe(false);
		expect(isAsked('a1', asked({ status: 'answered' }))).toBe(false);
		expect(isAsked('a1', [])).toBe(false);
	});
});

describe('a question on the lock screen', () => {
	const started = (changes: Partial<Snapshot> = {}): LockScreenState =>
		reduce(undefined, {
			type: 'snapshot',
			now: NOW,
			snapshot: {
				device: { id: 'd', name: 'Phone', platform: 'web', user: ADA, account: { name: 'Acme' } },
				server_time: iso(),
				cursor: 10,
				badge: 0,
				notifications: [],
				notification_count: 0,
				questions: [],
				activities: [],
				metrics: [],
				preferences: { seen_once: false, metrics: { order: [], hidden: [] } },
				...changes,
			},
		})!;
	const receive = (state: LockScreenState, ...deliveries: Delivery[]) =>
		deliveries.reduce(
			(next, one) => reduce(next, { type: 'delivery', delivery: one, now: NOW })!,
			state,
		);
	const ids = (state: LockScreenState) => state.notifications.map(({ id }) => id);

	it('is replaced by its reminder, and counted once', () => {
		const state = receive(started(), delivery(11, question()), delivery(14, question()));
		expect(ids(state)).toEqual([14]);
		expect(state.notificationCount).toBe(1);
		const other = receive(state, delivery(15, question({ question_id: 'q2' })));
		expect(ids(other)).toEqual([15, 14]);
		expect(other.notificationCount).toBe(2);
	});

	it('takes the end of another of its deliveries', () => {
		const ended = answered({ choice: 'yes', by: byAda });
		const update = delivery(20, ended, { kind: 'push_update', delivery_id: 14 });
		const state = receive(started(), delivery(11, question()), update);
		expect(state.notifications[0]?.push.question).toEqual(ended);
	});

	it('leaves an hour after it ended, an open one never', () => {
		const ended = answered({ choice: 'yes', by: byAda });
		const open = question({ question_id: 'q2' });
		const state = receive(started(), delivery(11, ended), delivery(12, open));
		expect(nextDeparture(state)).toBe(NOW + HOUR);
		const after = (ms: number) => reduce(state, { type: 'time_passed', now: NOW + ms })!;
		expect(ids(after(HOUR - 1))).toEqual([12, 11]);
		expect(ids(after(HOUR))).toEqual([12]);
		expect(after(HOUR).notificationCount).toBe(1);
		expect(nextDeparture(after(HOUR))).toBeUndefined();
	});

	it('leaves when the server no longer names it, although older notifications stay', () => {
		const state = receive(started(), delivery(11, question()));
		const shown = { cursor: 30, ids: [25], count: 40, question_ids: [], activity_ids: [] };
		const next = reduce(state, { type: 'notifications_shown', shown })!;
		expect(ids(next)).toEqual([]);
	});
});

describe('the system’s notification of a question', () => {
	const shown = (asked: ShownQuestion, userId?: string) =>
		toNotification(delivery(11, asked), {
			tag: 't',
			hasSound: true,
			now: NOW,
			maxActions: 2,
			userId,
		})!.options;
	const two = [
		{ action: '0', title: 'Approve' },
		{ action: '1', title: 'Decline' },
	];

	it('has its first two choices as buttons, for those who may answer', () => {
		expect(shown(question())).toMatchObject({
			actions: two,
			data: { question: { id: 'q1', choices: [{ id: 'yes' }, { id: 'no' }] } },
		});
		const restricted = question({ answerable_by: [ADA] });
		expect(shown(restricted, ADA.id).actions).toEqual(two);
		const [first, second] = snoozes(new Date(NOW)).map(([until, title]) => ({
			action: `snooze:${until}`,
			title,
		}));
		expect(shown(restricted, GRACE.id).actions).toEqual([first, second]);
	});

	it.each([
		['120 characters', { message: 'x'.repeat(112) }, true],
		['121 characters', { message: 'x'.repeat(113) }, false],
		['emoji as wide as 112', { message: '😀'.repeat(56) }, true],
		['emoji as wide as 114', { message: '😀'.repeat(57) }, false],
		['three lines', { message: 'a\nb' }, true],
		['four lines', { message: 'a\nb\nc' }, false],
		['four lines with a subtitle', { subtitle: 'a', message: 'b\nc' }, false],
		['lines of other kinds', { message: 'a\u2028b\rc' }, false],
		['no message', {}, true],
	])('has choices only if all of it is shown: %s', (_what, texts, isOffered) => {
		const sent = delivery(11, question());
		const { push } = sent as Extract<Delivery, { push: unknown }>;
		const whole = { ...sent, push: { ...push, ...texts } } as Delivery;
		const circumstances = { tag: 't', hasSound: true, now: NOW, maxActions: 2 };
		for (const [part, isCut] of [
			[whole, false],
			[Object.assign({ truncated: true }, whole), true],
		] as const) {
			const { options } = toNotification(part, circumstances)!;
			const expected = isOffered && !isCut ? [{ id: 'yes' }, { id: 'no' }] : [];
			expect(options.data).toMatchObject({ question: { choices: expected } });
			expect(options.actions!.filter(({ title }) => title === 'Approve')).toHaveLength(
				expected.length / 2,
			);
		}
	});

	it('opens its card, whatever media it has', () => {
		const sent = delivery(11, question());
		const { push } = sent as Extract<Delivery, { push: unknown }>;
		const media = 'https://example.com/a.png';
		const { options } = toNotification({ ...sent, push: { ...push, media } } as Delivery, {
			tag: 't',
			hasSound: true,
			now: NOW,
		})!;
		expect(options.data).toMatchObject({ target: undefined });
	});

	it('has no choices once it ended, but says how', () => {
		const choices = (asked: ShownQuestion) => (shown(asked).data as { question: object }).question;
		const ended = answered({ choice: 'yes', by: byAda });
		expect(shown(ended).body).toBe(`✓ Approved by Ada, ${time}`);
		expect(choices(ended)).toEqual({ id: 'q1', choices: [] });
		const withdrawn = question({ status: 'withdrawn', ended_at: iso() });
		expect(shown(withdrawn).body).toBe(`Withdrawn, ${time}`);
		expect(choices(withdrawn)).toEqual({ id: 'q1', choices: [] });
	});
});

describe('an answer', () => {
	const realFetch = globalThis.fetch;
	afterEach(() => {
		globalThis.fetch = realFetch;
		jest.useRealTimers();
	});

	const client = pageClient('token');
	const sent = { tap_id: '11111111-1111-4111-8111-111111111111', choice: 'yes' };
	const respond = (outcome: string, asked: ShownQuestion) =>
		Response.json({ outcome, message: 'Words.', question: asked });
	const notification = {
		title: 'Deploy?',
		icon: '/icon.png',
		tag: 't',
		actions: [],
		data: { kind: 'push', question: {} },
	};

	it('is repeated with the same id when the server was not reached', async () => {
		jest.useFakeTimers();
		const requests: unknown[] = [];
		globalThis.fetch = jest.fn<typeof fetch>().mockImplementation((url, init) => {
			requests.push([url, JSON.parse(init?.body as string)]);
			if (requests.length < 3) return Promise.reject(new TypeError('offline'));
			return Promise.resolve(respond('answered', answered({ choice: 'yes', by: byAda })));
		});
		const answering = answerQuestion(client, 'q1', sent);
		await jest.advanceTimersByTimeAsync(3_000);
		const result = await answering;
		const request = ['/device/questions/q1/answer', sent];
		expect(requests).toEqual([request, request, request]);
		const words = resultNotification({ ...result, title: 'Approve', notification }, NOW);
		expect(words?.options.body).toBe(`✓ Approved by Ada, ${time}`);
	});

	it('that changed nothing says whose answer counts, or why none does', async () => {
		const bodyFor = async (asked: ShownQuestion) => {
			globalThis.fetch = () => Promise.resolve(respond('refused', asked));
			const result = await answerQuestion(client, 'q1', sent);
			return resultNotification({ ...result, title: 'Approve', notification }, NOW)?.options.body;
		};
		expect(await bodyFor(answered({ choice: 'no', by: byAda }))).toBe(
			`Already answered: Declined by Ada, ${time}. This tap changed nothing.`,
		);
		expect(await bodyFor(question({ status: 'withdrawn' }))).toBe('Words.');
	});
});
