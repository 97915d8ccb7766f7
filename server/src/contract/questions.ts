import { z } from 'zod';
import {
	channelTarget,
	devicesNotified,
	listOf,
	tags,
	wholeNumber,
	queryNumber,
} from './common.ts';
import { streamKey } from './live-activities.ts';
import { pushRequest, pushResponse } from './push.ts';
import { atMost, freeObject, displayName, isUnique, text, timestamp } from './text.ts';
import { actionUrl } from './urls.ts';
import { INTERRUPTION_LEVELS } from './values.ts';

/** Characters of a typed answer. */
export const MAX_ANSWER = 4_000;

/** Seconds from asking to the deadline; without one, the longest. */
export const DEADLINE_SECONDS = { least: 30, most: 30 * 24 * 60 * 60 };

/** Seconds that a request waits for a change: less than the time after which proxies give up. */
export const MAX_WAIT = 50;

const MAX_MINUTES = DEADLINE_SECONDS.most / 60;

const title = text({ min: 1, max: 64, trim: true }).describe('Label of the button.');

const choice = z.strictObject({
	id: z
		.string()
		.regex(
			/^[A-Za-z0-9_.-]{1,64}$/,
			'must be 1 to 64 letters, digits, dashes, underscores and periods',
		)
		.describe('The value that the answer returns.'),
	title,
	destructive: z.boolean().optional().describe('Shown in red.'),
});

const typed = z.strictObject({
	placeholder: text({ max: 255 }).optional().describe('Shown in the empty field.'),
	multiline: z.boolean().optional().describe('Lets the answer have several lines.'),
	max_length: wholeNumber(1, MAX_ANSWER).optional().describe('Most characters of the answer.'),
});

const link = z.strictObject({
	title,
	url: actionUrl(['https', 'http'], 'must be an https or http URL').describe(
		'The form that a tap opens.',
	),
});

/** How a question can be answered. */
const ways = {
	choices: atMost(
		4,
		z.array(choice).min(1, 'must have at least one choice, or be left out'),
		'must have at most 4 choices',
	)
		.refine((list) => isUnique(list.map(({ id }) => id)), 'must not repeat an id')
		.optional()
		.describe('Buttons, of which one is the answer.'),
	text: typed.optional().describe('A typed answer.'),
	link: link
		.optional()
		.describe('A form elsewhere, whose result the asking key reports. Not with answerable_by.'),
};

const {
	icon,
	media,
	message,
	metadata,
	sound,
	subtitle,
	target,
	title: heading,
} = pushRequest.shape;

/** Body of POST /questions (docs/api-decisions.md "Questions"). */
export const questionRequest = z
	.strictObject({
		title: heading,
		message,
		subtitle,
		icon,
		media: media.describe('HTTPS URL of an image, audio or video, shown with the question.'),
		interruption_level: z
			.enum(INTERRUPTION_LEVELS)
			.default('time-sensitive')
			.describe('How much it interrupts, as for a push.'),
		sound,
		target,
		tags: tags.optional(),
		metadata,
		...ways,
		answerable_by: atMost(
			50,
			z.array(displayName).min(1, 'must name at least one person, or be left out'),
			'must name at most 50 people',
		)
			.refine(isUnique, 'must not repeat a name')
			.optional()
			.describe('Names of the people who may answer; everybody else only sees the question.'),
		deadline: z
			.strictObject({
				after_seconds: wholeNumber(DEADLINE_SECONDS.least, DEADLINE_SECONDS.most)
					.optional()
					.describe('Seconds from now. Either this or at.'),
				at: timestamp.optional().describe('30 seconds to 30 days from now.'),
				choice: z.string().optional().describe('The id of the choice that is then the answer.'),
			})
			.refine(
				({ after_seconds: after, at }) => (after === undefined) !== (at === undefined),
				'must have either after_seconds or at',
			)
			.optional()
			.describe('When it ends by itself; if left out, after 30 days.'),
		remind: z
			.strictObject({
				every_minutes: wholeNumber(1, 1_440).describe('Minutes between two reminders.'),
				times: wholeNumber(1, 20).describe('Most reminders.'),
			})
			.optional()
			.describe('Delivers it again to the phones that got it, until it ends.'),
		escalate: z
			.strictObject({
				after_minutes: wholeNumber(1, MAX_MINUTES).describe('Minutes without an answer.'),
				target: channelTarget,
			})
			.optional()
			.describe('Delivers it to more phones: those that the channels reach at that time.'),
		live_activity: z
			.strictObject({
				stream_key: streamKey.optional(),
				keep: z
					.boolean()
					.optional()
					.describe(
						'true: it does not end with the question; only its buttons close. Requires stream_key.',
					),
			})
			.refine(({ stream_key: key, keep }) => !keep || key !== undefined, {
				path: ['keep'],
				error: 'requires stream_key, by which the Live Activity can be ended',
			})
			.optional()
			.describe(
				'Shows it as a Live Activity while it is open: a new one, or that of the stream key. A phone without room for one gets a notification.',
			),
		callback: z
			.strictObject({
				url: actionUrl(['https', 'http'], 'must be an https URL').describe(
					'Gets the state of the question by POST when it ends.',
				),
			})
			.optional()
			.describe('Who is told when it ends.'),
	})
	.refine((asked) => asked.choices ?? asked.text ?? asked.link, {
		path: ['choices'],
		error: 'is required, unless the question has text or link',
	})
	.refine((asked) => !asked.link || !asked.answerable_by, {
		path: ['answerable_by'],
		error: 'cannot be combined with link: a form cannot prove who filled it in',
	})
	.refine(
		({ deadline, choices = [] }) =>
			deadline?.choice === undefined || choices.some(({ id }) => id === deadline.choice),
		{ path: ['deadline', 'choice'], error: 'must be the id of one of the choices' },
	)
	.meta({ id: 'QuestionRequest', description: 'The question.' });

const status = z
	.enum(['open', 'answered', 'expired', 'withdrawn'])
	.describe('expired: the deadline has passed without a default answer.');

const callbackState = z
	.enum(['none', 'pending', 'delivered', 'over', 'refused'])
	.describe(
		'none: nobody is called; pending: not told yet; delivered: told; over: what asked had already ended; refused: the callback was not accepted, or not reached, for a day.',
	);

const lastCall = z
	.union([z.number().int(), z.enum(['uncalled', 'unknown', 'not_allowed'])])
	.optional()
	.describe(
		'Result of the last callback call: the HTTP status; uncalled: nothing could be sent; unknown: it was sent, but there was no response; not_allowed: this server may not call the address.',
	);

/** The one answer. */
const questionAnswer = z
	.strictObject({
		choice: z.string().optional().describe('The id of the choice.'),
		text: z.string().optional().describe('What was typed.'),
		fields: z.record(z.string(), z.unknown()).optional().describe('What was filled in elsewhere.'),
		by: z
			.union([
				z.strictObject({
					user: z.string().describe('The person who is paired or signed in.'),
					device: z.string().nullable().describe('Their phone; null: the console.'),
				}),
				z.enum(['deadline', 'form']),
			])
			.describe('deadline: the default answer; form: the key that asked, about a form.'),
		at: timestamp,
	})
	.meta({ id: 'QuestionAnswer' });

const questionId = z
	.string()
	.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the question_id that asking returned')
	.describe('The question_id that asking returned.');

const deadlineChoice = z
	.string()
	.optional()
	.describe('The id of the choice that is the answer if nobody answers until the deadline.');

/** The state of a question. A callback gets it, too. */
const questionState = z
	.strictObject({
		question_id: questionId,
		title: z.string(),
		status,
		answer: questionAnswer.optional(),
		answerable_by: z
			.array(z.string())
			.optional()
			.describe('Names of those who may answer; empty: all of them were removed.'),
		asked_at: timestamp,
		deadline_at: timestamp,
		deadline_choice: deadlineChoice,
		ended_at: timestamp.nullable(),
		escalated: z
			.strictObject({ at: timestamp, devices_notified: devicesNotified })
			.optional()
			.describe('devices_notified is 0 if no phone was in the channels.'),
		callback: callbackState,
		callback_status: lastCall,
	})
	.meta({ id: 'Question' });

/** Response to POST /questions. */
export const askedResponse = z
	.strictObject({
		...pushResponse.shape,
		question_id: questionId,
		status: z.literal('open'),
		deadline_at: timestamp,
	})
	.meta({ id: 'AskedQuestion' });

export const questionParams = z.strictObject({ question_id: questionId });

/** Query of GET /questions/{question_id}. */
export const questionQuery = z.strictObject({
	wait: queryNumber(0, MAX_WAIT)
		.default(0)
		.describe('Seconds to wait for the end of an open question.'),
});

export const questionResponse = questionState
	.extend({ success: z.literal(true) })
	.meta({ id: 'QuestionState' });

/** Result of the tool `ask`: the state of the question, or what asking returned. */
export const waitedResponse = questionResponse
	.partial()
	.required({ question_id: true, status: true, deadline_at: true });

/** Query of GET /questions. */
export const questionsQuery = z.strictObject({
	status: z.literal('open').default('open').describe('Only open questions are listed.'),
	after: questionId.optional().describe('The `next` of the previous page.'),
	limit: queryNumber(1, 100).default(50).describe('Maximum entries per page.'),
});

export const questionsResponse = listOf('questions', 'QuestionList', questionState);

/** Body of POST /questions/{question_id}/answer. */
export const formAnswerRequest = z
	.strictObject({
		fields: freeObject({ maxBytes: 16_384 }).describe('What was filled in, up to 16 KiB.'),
	})
	.meta({ id: 'QuestionFormAnswer' });

/** Body of DELETE /questions/{question_id}, which may be absent. */
export const withdrawRequest = z.strictObject({}).meta({ id: 'QuestionWithdrawRequest' });

/** What a person answers: one of the two. */
const answered = {
	choice: z.string().max(64).optional(),
	text: text({ min: 1, max: MAX_ANSWER, trim: true }).optional(),
};

const isOne = ({ choice: chosen, text: entered }: { choice?: unknown; text?: unknown }) =>
	(chosen === undefined) !== (entered === undefined);
const ONE = 'must have either choice or text';

/** POST /device/questions/{question_id}/answer. The device generates `tap_id`, as for a tap. */
export const phoneAnswerRequest = z
	.strictObject({ tap_id: z.uuid('must be a UUID'), ...answered })
	.refine(isOne, ONE);

/** POST /console/api/questions/{question_id}/answer. */
export const consoleAnswerRequest = z.strictObject(answered).refine(isOne, ONE);

/** A question as phones and the console show it, inside the notification that asks it. */
export const shownQuestion = z.object({
	question_id: questionId,
	status,
	...ways,
	/** Who may answer; absent: everybody who sees it. */
	answerable_by: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
	deadline_at: timestamp,
	deadline_choice: deadlineChoice,
	/** Nobody set the deadline: it is the longest there is. */
	is_open_ended: z.literal(true).optional(),
	ended_at: timestamp.optional(),
	answer: questionAnswer.optional(),
	callback: callbackState,
	/** For the person, why this phone may not answer it; absent: it may, as far as is known. */
	why_not: z.string().optional(),
	/** The Live Activity that shows it, too. */
	activity_id: z.string().optional(),
});

/** The outcome of an answer. `refused`: it changed nothing, and `question` says why. */
export const phoneAnswerResponse = z.object({
	outcome: z.enum(['answered', 'refused']),
	/** For the person. */
	message: z.string(),
	question: shownQuestion,
});

/** Query of GET /console/api/questions. */
export const consoleQuestionsQuery = z.strictObject({
	status: z.enum(['open', 'past']).default('open'),
	after: questionId.optional(),
	limit: queryNumber(1, 100).default(24),
});

/** A question in the console. */
export interface ConsoleQuestion extends z.output<typeof questionState> {
	/** As phones show it. */
	shown: z.output<typeof shownQuestion>;
	subtitle?: string | undefined;
	message?: string | undefined;
	/** Name of the key that asked; null: the console, or a key that is gone. */
	asked_by: string | null;
	/** Slugs of the channels that it, and its escalation, went to; null: all phones. */
	channels: string[] | null;
	/** True if the member may answer it now. */
	may_answer: boolean;
	may_withdraw: boolean;
}

export interface ConsoleQuestions {
	questions: ConsoleQuestion[];
	/** `after` of the next page; null on the last page. */
	next: string | null;
	/** Open questions of the account. */
	open: number;
}

export type QuestionRequest = z.output<typeof questionRequest>;
export type QuestionState = z.output<typeof questionState>;
export type QuestionStatus = z.output<typeof status>;
export type CallbackState = z.output<typeof callbackState>;
export type LastCall = z.output<typeof lastCall>;
export type QuestionAnswer = z.output<typeof questionAnswer>;
export type ShownQuestion = z.output<typeof shownQuestion>;
export type QuestionQuery = z.output<typeof questionQuery>;
export type QuestionResponse = z.output<typeof questionResponse>;
export type QuestionsQuery = z.output<typeof questionsQuery>;
export type QuestionsResponse = z.output<typeof questionsResponse>;
export type AskedResponse = z.output<typeof askedResponse>;
export type PersonAnswer = z.output<typeof consoleAnswerRequest>;
export type PhoneAnswer = z.output<typeof phoneAnswerRequest>;
export type PhoneAnswerResponse = z.output<typeof phoneAnswerResponse>;
export type ConsoleQuestionsQuery = z.output<typeof consoleQuestionsQuery>;
