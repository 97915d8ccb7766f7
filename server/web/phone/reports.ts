import type { TapResponse } from '../../src/contract/device.ts';
import type { ShownQuestion } from '../../src/contract/questions.ts';
import { answerQuestion } from '../device/answer-question.ts';
import { isDisconnected } from '../device/device-client.ts';
import { inTurn } from '../device/in-turn.ts';
import { sendEach } from '../device/report-queue.ts';
import { remember, showTap, stopWaiting } from './card-memory.ts';
import { pageClient } from './page-client.ts';
import { change, load, type RememberedTap, type Report } from './storage.ts';

/** A tap on a button or choice of a card. */
export type TapReport = Extract<Report, { title: string }>;

/** The result of a reported tap. */
export interface TapResult
	extends
		Pick<TapReport, 'title' | 'notification'>,
		Pick<TapResponse, 'outcome' | 'message' | 'answer'> {
	question?: ShownQuestion;
}

/** Keeps the report until the server has it. */
export function keepReport(report: Report): Promise<void> {
	return change('reports', (reports = []) => [...reports, report]);
}

/** Milliseconds after which the card says that the tap is sent later. */
const TAP_SHOULD_TAKE = 10_000;

/** Keeps a tap that the person waits for; to be sent with the others. */
export async function keepTap(report: TapReport): Promise<void> {
	const key = cardOf(report);
	const { title } = report;
	const tap = { button: buttonOf(report), title, outcome: 'pending', message: '' } as const;
	await Promise.all([remember(key, { tap }), keepReport(report)]);
	setTimeout(() => stopWaiting(key), TAP_SHOULD_TAKE);
}

/** Says that a tap is not reported, as in a preview. */
export function refuseTap(report: TapReport, message: string): void {
	const { title } = report;
	showTap(cardOf(report), { button: buttonOf(report), title, outcome: 'refused', message });
}

/** The card on which a button was tapped. */
function cardOf(report: TapReport): string {
	if (report.kind === 'answer') return `q${report.questionId}`;
	const { request } = report;
	return 'delivery_id' in request ? `n${request.delivery_id}` : `a${request.activity_id}`;
}

function buttonOf(report: TapReport): string {
	return report.kind === 'answer' ? (report.request.choice ?? '') : String(report.request.action);
}

/** Browsers share locks between pages and workers, but only over HTTPS. */
const inPage = inTurn();

/**
 * Sends the kept reports, oldest first. A repeated report calls no webhook twice: each tap has an id.
 * @returns the results of the taps; `isDone` false: the server could not be reached, try again later
 */
export function sendReports(): Promise<Sent> {
	// Two at a time would report the same tap twice, and one of them would not get its outcome.
	return 'locks' in navigator
		? navigator.locks.request('beckon-reports', sendKept)
		: inPage(sendKept);
}

interface Sent {
	results: TapResult[];
	isDone: boolean;
	/** The server no longer knows this phone. */
	isDisconnected: boolean;
}

async function sendKept(): Promise<Sent> {
	const sent: Sent = { results: [], isDone: true, isDisconnected: false };
	const token = await load('token');
	const keep = async (report: TapReport, result: TapResult) => {
		sent.results.push(result);
		const { title, outcome, message, answer, question } = result;
		const button = buttonOf(report);
		const tap: RememberedTap = { button, title, outcome, message, answer, question };
		// Typed text stays until the server has accepted it.
		const typed = outcome === 'failed' ? {} : { draft: undefined };
		if (outcome !== 'open') await remember(cardOf(report), { tap, ...typed });
	};
	sent.isDone = await sendEach<Report>({
		load: () => load('reports'),
		change: (changed) => change('reports', changed),
		send: async (report) => {
			const result = token !== undefined && (await send(token, report));
			if (result && 'title' in report) await keep(report, result);
		},
		onRefused: async (report, error) => {
			sent.isDisconnected ||= isDisconnected(error);
			if (!('title' in report)) return;
			const { title, notification } = report;
			await keep(report, { title, notification, outcome: 'failed', message: error.message });
		},
	});
	if (!sent.isDone) stopWaiting();
	return sent;
}

async function send(token: string, report: Report): Promise<TapResult | undefined> {
	const client = pageClient(token);
	switch (report.kind) {
		case 'dismissal':
			await client.call('POST /dismissals', report.request);
			return undefined;
		case 'snooze':
			await client.call('POST /snoozes', report.request);
			return undefined;
		case 'tap': {
			const { title, notification, request } = report;
			return { ...(await client.call('POST /taps', request)), title, notification };
		}
		case 'answer': {
			const { title, notification, questionId, request } = report;
			return { ...(await answerQuestion(client, questionId, request)), title, notification };
		}
	}
}
