import { setTimeout as sleep } from 'node:timers/promises';

import { send } from './client';
import { Failure, messageOf, warn } from './failure';
import { toBody, type Values } from './options';

/** Milliseconds between two updates: phones show the elapsed time by themselves. */
const INTERVAL = 5000;

/** Characters of a line of output that a phone shows. */
const MAX_LINE = 200;

export type ShownRun = ReturnType<typeof showRun>;

type Run = { title: string; key: string; alert: boolean; recipients: Values };

/**
 * Shows a command's run as a Live Activity. The run does not depend on it: failures are reported on standard error.
 * @param run the first line, the key of the stream, whether phones sound at the end, and recipients by their paths in a
 * request
 */
export function showRun({ title, key, alert, recipients }: Run) {
	const path = `/live-activity/stream/${encodeURIComponent(key)}`;
	const updates = new AbortController();
	const pauses = new AbortController();
	let startedAt = 0;
	let lastLine = '';
	/** True if a phone may show the activity. */
	let isShown = false;
	let hasFailed = false;
	let following = Promise.resolve();

	const toContent = (state: Values) => ({
		content_state: { type: 'timer', counts_down: false, ...state },
		'content_state.title': title,
	});

	/** Sends changes, at most every few seconds, until the run ends. */
	async function follow(): Promise<void> {
		for (let shown: string | undefined; !pauses.signal.aborted;) {
			const subtitle = lastLine;
			const body = toBody({ ...toContent({ subtitle }), ...recipients });
			const how = { within: INTERVAL, signal: updates.signal };
			try {
				if (subtitle !== shown) await send({ method: 'PUT', path, body }, how);
				shown = subtitle;
				isShown = true;
			} catch (error) {
				reportUpdate(error);
			}
			// Rejects only at the end.
			await sleep(INTERVAL, undefined, { signal: pauses.signal }).catch(() => undefined);
		}
	}

	/** Warns once that an update failed; at the end, only if no phone shows the activity. */
	function reportUpdate(error: unknown): void {
		const { aborted: isOver } = updates.signal;
		const { mayHaveArrived, trouble } = error instanceof Failure ? error.known : {};
		isShown ||= mayHaveArrived === true;
		const reason = isOver ? (trouble ?? 'the server did not answer in time.') : messageOf(error);
		if (!hasFailed && !(isOver && isShown)) warn(`not shown on the phone: ${reason}`);
		hasFailed = true;
	}

	return {
		begin() {
			startedAt = Date.now();
			following = follow();
		},
		tell(line: string) {
			lastLine = line.slice(0, MAX_LINE).replace(/[\ud800-\udbff]$/, '');
		},
		/**
		 * Ends the activity, with an alert unless the options say otherwise.
		 * @param patience milliseconds for that; then the reason is reported
		 */
		async end(code: number, patience: number) {
			const deadline = Date.now() + patience;
			pauses.abort();
			// The last update arrives before the end, or not at all.
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
				const reason = `the phone may still show it as running: ${messageOf(error)}`;
				warn(`${reason} \`beckon stream ${key} --end\` ends it.`);
			}
		},
	};
}

/** Such as `3 min 12 s`. */
function toWords(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
