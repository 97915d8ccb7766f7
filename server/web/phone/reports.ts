import type { TapResponse } from '../../src/contract/device.ts';
import { answerQuestion } from './answer-question.ts';
import { DeviceError, deviceClient } from './device-client.ts';
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
	for (const report of (await load('reports')) ?? []) {
		try {
			if (token !== undefined) {
				const result = await send(token, report);
				if (result) results.push(result);
			}
		} catch (error) {
			const isRefused = error instanceof DeviceError && error.status >= 400 && error.status < 500;
			if (!isRefused) return { results, isDone: false };
			if ('notification' in report)
				results.push({ ...report, outcome: 'failed', message: error.message });
		}
		await change('reports', (reports = []) => reports.filter((kept) => !isSame(kept, report)));
	}
	return { results, isDone: true };
}

async function send(token: string, report: Report): Promise<TapResult | undefined> {
	const client = deviceClient(token);
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

function isSame(a: Report, b: Report): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
