import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { questionTimes } from '../../src/service/questions/due.ts';
import { settleDue } from './later.ts';
import { CHANNEL_OF_PHONE, type Real } from './message-commands.ts';
import { command, targets } from './stream-commands.ts';
import type { ModelQuestion } from './question-model.ts';
import type { Model } from './stream-model.ts';

const MINUTE_MS = 60_000;
const CHOICES = ['yes', 'no'];
const choices = CHOICES.map((id) => ({ id, title: id }));

/** Every question is as the model has it. */
async function holdQuestions({ questions, now }: Model, { server, key }: Real): Promise<void> {
	for (const question of questions.all) {
		const { body } = await server.call('GET', `/questions/${question.id}`, undefined, { key });
		// Reading it ends it, if its deadline has passed.
		questions.passDeadline(question, now);
		expect(body['status']).toBe(question.status);
		expect(body['answer']?.choice).toBe(question.answer?.choice);
		const by = body['answer']?.by;
		expect(by?.user === undefined ? by : 'phone').toBe(
			question.answer && (question.answer.by === 'deadline' ? 'deadline' : 'phone'),
		);
	}
}

/** Commands that ask questions and end them. */
export const questionCommands = [
	command(
		'ask',
		fc.record({
			slugs: targets,
			after: fc.constantFrom(60, 7_200),
			isDefault: fc.boolean(),
			remind: fc.option(fc.constantFrom(1, 10)),
			escalate: fc.option(fc.constantFrom(1, 10)),
			activity: fc.option(
				fc.record({ key: fc.constantFrom('a', 'asks', null), isKept: fc.boolean() }),
				{ freq: 3 },
			),
		}),
		async ({ slugs, after, isDefault, remind, escalate, activity }, model, real: Real) => {
			const { server, key, streams } = real;
			const { questions, now } = model;
			const title = `ask ${questions.all.length}`;
			const choice = isDefault ? 'no' : undefined;
			// A phone shows five, of which the other commands start up to three.
			const isFull = model.running().some(({ key: stream }) => stream === null);
			const shown = activity && {
				key: isFull && activity.key === null ? 'asks' : activity.key,
				keep: activity.isKept && activity.key !== null,
			};
			const { status, body } = await server.call(
				'POST',
				'/questions',
				{
					title,
					choices,
					target: slugs && { channels: slugs },
					deadline: { after_seconds: after, choice },
					remind: remind === null ? undefined : { every_minutes: remind, times: 2 },
					escalate:
						escalate === null
							? undefined
							: { after_minutes: escalate, target: { channels: ['two'] } },
					live_activity: shown
						? { stream_key: shown.key ?? undefined, keep: shown.keep }
						: undefined,
				},
				{ key },
			);
			expect(status).toBe(200);
			const question: ModelQuestion = {
				id: body['question_id'],
				title,
				slugs: slugs ?? null,
				status: 'open',
				answer: undefined,
				deadlineAt: now + after * 1_000,
				default: choice,
				remind:
					remind === null
						? undefined
						: { every: remind * MINUTE_MS, left: 2, at: now + remind * MINUTE_MS },
				escalate:
					escalate === null
						? undefined
						: { at: now + escalate * MINUTE_MS, slugs: ['two'], isDone: false },
				shown: undefined,
			};
			questions.ask(question);
			const asked = shown && model.ask(question, shown);
			if (asked?.id !== '') return;
			const rows = await streams.running();
			const started = rows.filter(({ id }) => model.activities.every((one) => one.id !== id));
			expect(started).toMatchObject([{ stream_key: asked.key }]);
			asked.id = started[0]!.id;
		},
	),
	command(
		'answer',
		fc.record({
			which: fc.nat(5),
			phone: fc.constantFrom(0, 1),
			choice: fc.constantFrom(...CHOICES),
		}),
		async ({ which, phone, choice }, { questions, now }, { phones }: Real) => {
			const question = questions.all[which];
			if (!question) return;
			const channel = CHANNEL_OF_PHONE[phone]!;
			const answer = { tap_id: randomUUID(), choice };
			const { status, body } = await phones[phone].call(
				'POST',
				`/questions/${question.id}/answer`,
				answer,
			);
			if (!questions.isOn(question, channel)) {
				expect(status).toBe(404);
				return;
			}
			const { by } = body['question'].answer ?? {};
			const isFirst = questions.end(question, 'answered', { choice, by: by?.user }, now);
			expect(body['outcome']).toBe(isFirst ? 'answered' : 'refused');
			expect(body['question'].status).toBe(question.status);
		},
	),
	command('withdraw', fc.nat(5), async (which, { questions, now }, { server, key }: Real) => {
		const question = questions.all[which];
		if (!question) return;
		await server.call('DELETE', `/questions/${question.id}`, undefined, { key });
		questions.end(question, 'withdrawn', undefined, now);
	}),
	command('settle', fc.constant(null), async (_nothing, model, real: Real) => {
		await settleDue(real.server.context, questionTimes);
		model.questions.settle(model.now);
		await holdQuestions(model, real);
	}),
];
