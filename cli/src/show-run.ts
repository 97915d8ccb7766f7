import { setTimeout as sleep } from 'node:timers/promises';

import type { Send } from './client';
import { Failure, warn } from './failure';
import { toBody, type Values } from './options';

/** Milliseconds between two updates: phones show the elapsed time by themselves. */
const INTERVAL = 5000;

/** Characters of a line of output that a phone shows. */
const LONGEST_LINE = 200;

export type ShownRun = ReturnType<typeof showRun>;

/**
 * Shows a command's run as a Live Activity. The run does not depend on it: what fails is told on standard error.
 * @param key of the stream
 * @param alert true if phones sound at the end
 * @param recipients by their paths in a request
 */
export function showRun(
	send: Send,
	{
		title,
		key,
		alert,
		recipients,
	}: { title: string; key: string; alert: boolean; recipients: Values },
) {
	const path = `/live-activity/stream/${encodeURIComponent(key)}`;
	const updates = new AbortController();
	const pauses = new AbortController();
	let startedAt = 0;
	let lastLine = '';
	/** True if a phone may show it. */
	let isShown = false;
	let hasFailed = false;
	let following = Promise.resolve();

	const toContent = (state: Values) => ({
		content_state: { type: 'timer', counts_down: false, ...state },
		'content_state.title': title,
	});

	/** Sends what has changed, at most every few seconds, until the run ends. */
	async function follow(): Promise<void> {
		let shown: string | undefined;
		while (!pauses.signal.aborted) {
			const line = lastLine;
			if (line !== shown && (await isUpdated(line))) shown = line;
			// It rejects only at the end.
			await sleep(INTERVAL, undefined, { signal: pauses.signal }).catch(() => undefined);
		}
	}

	async function isUpdated(subtitle: string): Promise<boolean> {
		const body = toBody({ ...toContent({ subtitle }), ...recipients });
		const { signal } = updates;
		try {
			await send({ method: 'PUT', path, body }, { within: INTERVAL, signal });
			return (isShown = true);
		} catch (error) {
			isShown ||= error instanceof Failure && error.known.mayHaveArrived === true;
			const reason = signal.aborted ? 'the server did not answer in time.' : reasonOf(error);
			if (!hasFailed && !(signal.aborted && isShown)) warn(`not shown on the phone: ${reason}`);
			hasFailed = true;
			return false;
		}
	}

	return {
		begin() {
			startedAt = Date.now();
			following = follow();
		},
		tell(line: string) {
			lastLine = line.slice(0, LONGEST_LINE).replace(/[\ud800-\udbff]$/, '');
		},
		/**
		 * Ends it, with an alert unless the options say otherwise.
		 * @param patience milliseconds until it ends or a reason is told
		 */
		async end(code: number, patience: number) {
			const deadline = Date.now() + patience;
			pauses.abort();
			// The last update arrives first, or not at all.
			await Promise.race([following, sleep(patience / 2, undefined, { ref: false })]);
			updates.abort();
			await following;
			if (!isShown) return;
			const outcome = code === 0 ? 'Done' : `Exit code ${code}`;
			const words = `${outcome} after ${toWords(Date.now() - startedAt)}`;
			const subtitle = lastLine === '' ? words : `${words} · ${lastLine}`;
			const state = { subtitle, is_running: false, color: code === 0 ? 'green' : 'red' };
			const body = toBody({
				...toContent(state),
				tags: recipients['tags'],
				alert: alert ? { title, body: words } : undefined,
			});
			try {
				const within = Math.max(0, deadline - Date.now());
				await send({ method: 'DELETE', path, body }, { within });
			} catch (error) {
				const reason = `the phone may still show it as running: ${reasonOf(error)}`;
				warn(`${reason} \`beckon stream ${key} --end\` ends it.`);
			}
		},
	};
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Such as `3 min 12 s`. */
function toWords(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
