import type { QuestionRequest } from '../../../src/contract/questions.ts';

type Body = Record<string, unknown>;

/** The parts of a question that the form contains so far. */
type Question = Partial<Pick<QuestionRequest, 'choices' | 'text' | 'answerable_by'>> & {
	deadline?: { after_seconds?: number; at?: string; choice?: string };
	remind?: { every_minutes?: number; times?: number };
	escalate?: { after_minutes?: number; target?: { channels?: string[] } };
	live_activity?: { stream_key?: string; keep?: boolean };
};

/** Choices with these ids are the node's approval; others get ids of the node's own. */
const APPROVAL = ['approve', 'decline'];

function answerParameters({ choices, text }: Question): Body | undefined {
	if (choices === undefined) {
		if (text === undefined) return undefined;
		const { placeholder, multiline } = text;
		return {
			responseType: 'freeText',
			...(placeholder !== undefined && { placeholder }),
			...(multiline !== undefined && { multiline }),
		};
	}
	const ids = choices.map(({ id }) => id);
	if (ids.join() !== APPROVAL.slice(0, ids.length).join()) {
		const choice = choices.map(({ title }) => ({ label: title }));
		return { responseType: 'choices', choices: { choice } };
	}
	const [approve, decline] = choices;
	const labels = {
		approvalType: decline ? 'double' : 'single',
		approveLabel: approve?.title,
		...(decline && { disapproveLabel: decline.title }),
	};
	return { responseType: 'approval', approvalOptions: { values: labels } };
}

function limit({ after_seconds: seconds, at }: NonNullable<Question['deadline']>): Body {
	if (at !== undefined) return { limitType: 'atSpecifiedTime', maxDateAndTime: at };
	// The field has two decimals, and the node rounds to seconds.
	const resumeAmount = Math.round(((seconds ?? 0) / 60) * 100) / 100;
	return { limitType: 'afterTimeInterval', resumeAmount, resumeUnit: 'minutes' };
}

function optionsOf({ choices, deadline, remind, escalate, ...question }: Question): Body {
	const byDefault = choices?.find(({ id }) => id === deadline?.choice);
	const { answerable_by: people, live_activity: activity } = question;
	return {
		...(deadline && { limitWaitTime: { values: limit(deadline) } }),
		...(byDefault && { defaultAnswer: byDefault.title }),
		...(remind && {
			remind: { values: { everyMinutes: remind.every_minutes, times: remind.times } },
		}),
		...(escalate && {
			escalate: {
				values: {
					afterMinutes: escalate.after_minutes,
					channels: escalate.target?.channels,
				},
			},
		}),
		...(people && { answerableBy: people }),
		...(activity?.keep && { afterResponse: 'keep' }),
	};
}

/**
 * The parameters of Send and Wait for Response that belong to questions. The node offers only one way to answer,
 * buttons if there are any, and has the answer sent to itself.
 * @returns undefined for a question that only links to a form elsewhere: the node's forms are pages of its own
 */
export function questionParameters(body: Body): { shown: Body; options: Body } | undefined {
	const question = body as Question;
	const answers = answerParameters(question);
	if (!answers) return undefined;
	const { live_activity: activity } = question;
	// Without a stream key, the editor asks for one.
	const streamKey = { __rl: true, mode: 'key', value: activity?.stream_key ?? '' };
	return {
		shown: { ...(activity && { resource: 'liveActivity', streamKey }), ...answers },
		options: optionsOf(question),
	};
}
