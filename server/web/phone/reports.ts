import type { TapResponse } from '../../src/contract/device.ts';
import { answerQuestion } from '../device/answer-question.ts';
import { sendEach } from '../device/report-queue.ts';
import { pageClient } from './page-client.ts';
import { change, load, type Report, type TappedNotification } from './storage.ts';

/** The result of a reported tap. */
export interface TapResult extends Pick<TapResponse, 'outcome' | 'message' | 'answer'> {
	/** The button's title. */
	title: string;
	notification: TappedNotification;
}

/** Keeps the report until the server has it. */
export function keepReport(report: Report): Promise<void> {
	return change('reports', (reports = []) => [...reports, report]);
}

/**
 * Sends the kept reports, oldest first. A repeated report calls no webhook twice: each tap has an id.
 * @returns the results of the taps; `isDone` false: the server could not be reached, try again later
 */
export function sendReports(): Promise<Sent> {
	// Two at a time would report the same tap twice, and one of them would not learn its outcome.
	return navigator.locks.request('beckon-reports', sendKept);
}

interface Sent {
	results: TapResult[];
	isDone: boolean;
}

async function sendKept(): Promise<Sent> {
	const results: TapResult[] = [];
	const token = await load('token');
	const isDone = await sendEach<Report>({
		load: () => load('reports'),
		change: (changed) => change('reports', changed),
		send: async (report) => {
			const result = token !== undefined && (await send(token, report));
			if (result) results.push(result);
		},
		onRefused: (report, { message }) => {
			if ('notification' in report) results.push({ ...report, outcome: 'failed', message });
		},
	});
	return { results, isDone };
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
