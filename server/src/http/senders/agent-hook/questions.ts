import { z } from 'zod';
import type { QuestionAnswer } from '../../../contract/questions.ts';
import { isUnique, shortened } from '../../../contract/text.ts';
import { toBlock, toVisible } from './tool-input.ts';

const MAX_BUTTON = 64;

const option = z.object({
	label: z.string().min(1),
	description: z.string().optional().catch(undefined),
	/** What the terminal shows beside the options. */
	preview: z.string().optional().catch(undefined),
});

const question = z.object({
	question: z.string().min(1),
	header: z.string().optional().catch(undefined),
	multiSelect: z.boolean().optional().catch(undefined),
	options: z.array(option).min(1).max(4),
});

/** The input of Claude Code's tool AskUserQuestion. Answers are keyed by texts and labels, so no two may be alike. */
export const askUserQuestion = z.object({
	questions: z
		.array(question)
		.min(1)
		.max(4)
		.refine((list) => isUnique(list.map(({ question: text }) => text)))
		.refine((list) => list.every(({ options }) => isUnique(options.map(({ label }) => label)))),
});

const NUMBERS = /^[\d\s,;&+]+$/;

type AgentQuestion = z.output<typeof question>;

/** A question of an agent as ours: a button for each option, and a field for several of them or for other words. */
export function toQuestion(
	{ question: text, header = '', multiSelect, options }: AgentQuestion,
	index: number,
	{ length }: readonly AgentQuestion[],
) {
	const lines = options.map(({ label, description, preview }, option) => {
		const details = [description, preview].filter(Boolean).join('\n');
		return toBlock(`${option + 1}. `, details === '' ? label : `${label}: ${details}`);
	});
	const which = length > 1 ? ` (${index + 1} of ${length})` : '';
	// Each button must look different, even where long labels begin alike.
	const toTitle = (words: string) => shortened(toVisible(words).trim(), MAX_BUTTON);
	const areClear = isUnique(options.map(({ label }) => toTitle(label)));
	return {
		title: `Question${which}: ${toVisible(header)}`,
		message: [toBlock('', text), ...lines].join('\n'),
		choices: options.map(({ label }, option) => ({
			id: String(option + 1),
			title: toTitle(areClear ? label : `${option + 1}. ${label}`),
		})),
		text: { placeholder: multiSelect ? 'Several, such as 1 3, or other words' : 'Other words' },
	};
}

/** The labels of what a person has chosen, or their words. */
export function toLabels(
	{ multiSelect, options }: AgentQuestion,
	{ choice, text = '' }: Pick<QuestionAnswer, 'choice' | 'text'>,
): string {
	// If labels are numbers too, a typed number may mean a label or a position.
	const areLabels = options.some(({ label }) => NUMBERS.test(label));
	const numbers = choice ?? (multiSelect && !areLabels && NUMBERS.test(text) ? text : '');
	const chosen = new Set(numbers.match(/\d+/g)?.map(Number));
	const labels = [...chosen].map((number) => options[number - 1]?.label);
	if (labels.length === 0 || labels.includes(undefined)) return text;
	return labels.join(', ');
}
