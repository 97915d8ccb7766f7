import { z } from 'zod';
import { MAX_MESSAGE, type PushRequest, pushRequest } from '../../../contract/push.ts';
import { type QuestionRequest, questionRequest } from '../../../contract/questions.ts';
import { shortened } from '../../../contract/text.ts';
import { requireValid } from '../../../service/refusal.ts';
import { sendPush } from '../../../service/sending/pushes.ts';
import { goneSignal } from '../../connections.ts';
import { requireCaller } from '../../gate.ts';
import { authorizationKey, MAX_BODY, type Sender } from '../sender.ts';
import { askPeople } from './asking.ts';
import { endToolBatch, projectOf, pushNotification, pushStop } from './events.ts';
import { type Ask, readPermission } from './permission.ts';
import { toVisible } from './tool-input.ts';
import type { FastifyRequest } from 'fastify';

const MAX_SHORT = 255;

const body = z.looseObject({ hook_event_name: z.string() });

/**
 * The hook of Claude Code (https://code.claude.com/docs/en/hooks) and Codex, whose format is the same. A permission,
 * a plan or a question of an agent becomes a question on the phones of the key's channels, and only a person's answer
 * decides. In every other case the response is empty, or an error, and the agent asks in its terminal. Other events
 * become pushes.
 */
export const agentHook: Sender = {
	name: 'agent-hook',
	feature: 'questions',

	keyIn: (request) => authorizationKey(request.headers.authorization),

	toRefusal: ({ body }) => body,

	register(app, { context, gate }) {
		const options = { schema: { body }, bodyLimit: MAX_BODY };
		const logged = new Set<string>();
		app.post('/agent-hook', options, async (request, reply) => {
			const gone = goneSignal(reply);
			const caller = requireCaller(request);
			const agent = readAgent(request, logged);
			const event = request.body.hook_event_name;
			// An agent may call tools more often than an account may send pushes.
			if (event !== 'PostToolBatch') await gate.spend(reply, 'notifications', caller.accountId);
			if (event === 'PermissionRequest') {
				const ask = readPermission(request.body);
				if (!fitsOnPhone(ask))
					await sendPush(context, caller, toPush(ask), { sequenceId: ask.session_id });
				else {
					const asked = { questions: toRequests(ask, agent), toDecision: ask.toDecision };
					await askPeople({ context, caller, gone }, asked, reply);
					return reply;
				}
				return {};
			}
			const take = TAKEN.get(event);
			// Nobody would see an error.
			if (!take) return { systemMessage: adviceAbout(event) };
			await take(context, caller, request.body);
			return {};
		});
	},
};

/** Handlers of the events that wait for no answer. */
const TAKEN = new Map(
	Object.entries({
		Notification: pushNotification,
		PostToolBatch: endToolBatch,
		Stop: pushStop,
		StopFailure: pushStop,
	}),
);

function adviceAbout(event: string): string {
	const name = shortened(toVisible(event), MAX_SHORT);
	const taken = [...TAKEN.keys()].join(', ');
	return `Beckon takes PermissionRequest, ${taken}. Remove its hook from ${name}.`;
}

const subtitleOf = (ask: Ask) => shortened(toVisible(projectOf(ask)), MAX_SHORT);

/** True if a phone shows all of the questions: nobody should decide about something that they cannot see. */
const fitsOnPhone = ({ questions }: Ask) =>
	questions.length > 0 &&
	questions.every(({ message }) => shortened(message, MAX_MESSAGE) === message);

/** @throws Refusal `invalid` for a tool whose name a phone cannot show as a whole */
function toRequests(ask: Ask, agent: string | undefined): QuestionRequest[] {
	const { session_id: session, agent_id: subagent } = ask;
	const metadata = {
		...(agent && { agent }),
		...(session && { session }),
		...(subagent && { subagent }),
	};
	return ask.questions.map((question) =>
		requireValid(questionRequest, { ...question, subtitle: subtitleOf(ask), metadata }),
	);
}

/** Sends a push about something that no phone can show as a whole. */
function toPush(ask: Ask): PushRequest {
	const [question] = ask.questions;
	const why = question ? 'too long to show' : 'nothing to show';
	return requireValid(pushRequest, {
		title: shortened(`${ask.about}: ${why}, answer at the computer`, MAX_SHORT),
		subtitle: subtitleOf(ask),
		message: shortened(question?.message ?? '', MAX_MESSAGE),
		interruption_level: 'time-sensitive',
	});
}

/** The newest version of each agent that this hook was tested with (docs/agents.md). */
const TESTED: Readonly<Record<string, string>> = {
	'claude-code': '2.1.332',
	'codex-cli': '0.171.0',
};

/** The form of Claude Code's `$AI_AGENT` and `codex --version`: claude-code_2-1-332_harness, codex-cli 0.171.0. */
const NAMED = /^(claude-code|codex-cli)[_ /](\d{1,6})[.-](\d{1,6})[.-](\d{1,6})/;

/**
 * The name and version of the agent that calls its hook: claude-code 2.1.332. The documented setup sends it as
 * User-Agent. The first version newer than the tested one is logged.
 * @param logged the names of the agents for which one was logged
 * @returns undefined if it does not say
 */
export function readAgent(
	{ headers, log }: FastifyRequest,
	logged: Set<string>,
): string | undefined {
	const [, name, ...numbers] = NAMED.exec(headers['user-agent'] ?? '') ?? [];
	if (name === undefined) return undefined;
	const tested = TESTED[name] ?? '';
	const version = numbers.join('.');
	const agent = `${name} ${version}`;
	if (version.localeCompare(tested, 'en', { numeric: true }) > 0 && !logged.has(name)) {
		logged.add(name);
		log.warn({ agent, tested }, 'the hook was not tested with this version of the agent');
	}
	return agent;
}
