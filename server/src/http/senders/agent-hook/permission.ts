import { z } from 'zod';
import type { QuestionAnswer } from '../../../contract/questions.ts';
import { requireValid } from '../../../service/refusal.ts';
import { type SessionEvent, session } from './events.ts';
import { askUserQuestion, toLabels, toQuestion } from './questions.ts';
import { toBlock, toolInputText, toVisible } from './tool-input.ts';

/** What Claude Code offers to allow from then on. If that includes anything else, only its terminal can offer it. */
const suggestion = z.discriminatedUnion('type', [
	z.strictObject({
		type: z.literal('addRules'),
		behavior: z.literal('allow'),
		rules: z.array(z.strictObject({ toolName: z.string(), ruleContent: z.string().optional() })),
		destination: z.string(),
	}),
	z.strictObject({
		type: z.literal('addDirectories'),
		directories: z.array(z.string()),
		destination: z.string(),
	}),
	z.strictObject({
		type: z.literal('setMode'),
		mode: z.literal('acceptEdits'),
		destination: z.string(),
	}),
]);

/** False for numbers that JavaScript rounds, while other programs read them exactly. */
const isExact = (value: unknown): boolean =>
	typeof value === 'number'
		? Math.abs(value) <= Number.MAX_SAFE_INTEGER
		: typeof value !== 'object' || Object.values(value ?? {}).every(isExact);

/** The input of a hook before the agent asks in the terminal; other fields are ignored. */
const permissionRequest = z.object({
	...session,
	tool_name: z.string(),
	tool_input: z
		.record(z.string(), z.unknown())
		.refine(isExact, 'has a number with more digits than can be shown; send it as a string'),
	permission_suggestions: z.array(suggestion).min(1).optional().catch(undefined),
	/** Only Codex has turns. */
	turn_id: z.unknown().optional(),
});

type PermissionRequest = z.output<typeof permissionRequest>;
type ToolInput = PermissionRequest['tool_input'];

/** The decision about a permission, in the form that agents accept. */
interface Decision {
	behavior: 'allow' | 'deny';
	message?: string;
	updatedInput?: ToolInput;
	updatedPermissions?: object[];
}

/** What people are asked about a permission. */
export interface Ask extends SessionEvent {
	/** What the permission is for, shown if the questions cannot be. */
	about: string;
	/** Asked one after another. */
	questions: Array<{ title: string; message: string; choices: object[]; text: object }>;
	/** What their answers mean; undefined if they decide nothing. */
	toDecision: (answers: readonly QuestionAnswer[]) => Decision | undefined;
}

/** @throws Refusal `invalid` for what is not the input of a hook */
export function readPermission(body: object): Ask {
	const request = requireValid(permissionRequest, body);
	const { tool_name: tool, tool_input: input, turn_id, cwd, session_id, agent_id } = request;
	const { file_path: file } = input;
	const about = [tool, typeof file === 'string' && file.split(/[\\/]/).at(-1)];
	return {
		cwd,
		session_id,
		agent_id,
		about: toVisible(about.filter(Boolean).join(' ')),
		// Codex rejects a decision that changes the input, and has no such tools.
		...(turn_id === undefined && tool === 'AskUserQuestion'
			? aboutQuestions(input)
			: aboutTool(request)),
	};
}

function aboutQuestions(input: ToolInput): Pick<Ask, 'questions' | 'toDecision'> {
	const questions = askUserQuestion.safeParse(input).data?.questions ?? [];
	return {
		questions: questions.map(toQuestion),
		toDecision(received) {
			const entries = questions.map((one, at) => [one.question, toLabels(one, received[at] ?? {})]);
			const answers = Object.fromEntries(entries) as object;
			// Other fields of the tool are for what the user has said, such as notes: no agent fills them in.
			const { questions: asked, metadata } = input;
			return { behavior: 'allow', updatedInput: { questions: asked, metadata, answers } };
		},
	};
}

function aboutTool({
	tool_name: tool,
	tool_input: input,
	turn_id,
	permission_suggestions: suggestions,
}: PermissionRequest): Pick<Ask, 'questions' | 'toDecision'> {
	const isPlan = turn_id === undefined && tool === 'ExitPlanMode';
	// Claude Code has not read this plan from its file: nobody can approve a missing plan.
	if (isPlan && typeof input['plan'] !== 'string')
		return { questions: [], toDecision: () => undefined };
	const further = suggestions && toBlock('For this session: ', suggestions.map(toWords).join('\n'));
	const question = {
		title: isPlan ? 'Approve this plan?' : `Allow ${toVisible(tool)}?`,
		message: [toolInputText(input), further].filter(Boolean).join('\n'),
		choices: [
			{ id: 'allow', title: 'Allow' },
			...(suggestions ? [{ id: 'session', title: 'Allow for this session' }] : []),
			{ id: 'deny', title: 'Deny', destructive: true },
		],
		text: { placeholder: 'Deny, because …' },
	};
	return {
		questions: [question],
		toDecision([answer]) {
			const { choice, text, by } = answer ?? {};
			// Claude Code takes the approval of a plan only with its input.
			const allow = { behavior: 'allow' as const, ...(isPlan && { updatedInput: input }) };
			if (choice === 'allow') return allow;
			if (choice === 'session' && suggestions) {
				const updatedPermissions = suggestions.map((rule) => ({ ...rule, destination: 'session' }));
				return { ...allow, updatedPermissions };
			}
			if ((choice !== 'deny' && text === undefined) || typeof by !== 'object') return undefined;
			const why = text === undefined ? '.' : `: ${text}`;
			return { behavior: 'deny', message: `${toVisible(by.user)} has denied this${why}` };
		},
	};
}

function toWords(allowed: z.output<typeof suggestion>): string {
	if (allowed.type === 'setMode') return 'all edits of files (acceptEdits)';
	if (allowed.type === 'addDirectories') return `the directories ${allowed.directories.join(', ')}`;
	return allowed.rules
		.map(({ toolName, ruleContent }) => (ruleContent ? `${toolName}(${ruleContent})` : toolName))
		.join('\n');
}
