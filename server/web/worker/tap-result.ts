import { answerText, tapText } from '../device/answers.ts';
import type { TapResult } from '../phone/reports.ts';
import type { WorkerNotificationOptions } from './notification.ts';

/**
 * The notification with a tap's result. A push's own notification, closed by the tap, returns with
 * the answer, or with its buttons to try again. A Live Activity's stays and shows its own answer,
 * so only a tap that did not count needs one.
 * @param now on this device's clock
 */
export function resultNotification(
	{ title, outcome, message, answer, notification }: TapResult,
	now: number,
): { title: string; options: WorkerNotificationOptions } | undefined {
	if (outcome === 'open' || notification === undefined) return undefined;
	const isPush = isOfPush(notification.data);
	const common = { icon: notification.icon, data: notification.data };
	const inItsPlace = isPush ? { ...common, tag: notification.tag } : { icon: notification.icon };
	if (outcome === 'called') {
		if (!isPush) return undefined;
		const words = answer ? `✓ ${answerText(answer, now)}` : `✓ “${title}”`;
		// A question's message only repeats its answer.
		const said = message === 'Done.' || isAsked(notification.data) ? [words] : [words, message];
		const actions = answer?.final ? [] : notification.actions;
		return {
			title: notification.title,
			options: { ...inItsPlace, body: said.join('\n'), silent: true, actions },
		};
	}
	const text = tapText({ outcome, message, answer }, now);
	if (outcome === 'refused')
		return { title: notification.title, options: { ...inItsPlace, body: text } };
	const what = outcome === 'failed' ? 'failed' : 'may have failed';
	return {
		title: notification.title,
		options: {
			...inItsPlace,
			body: `“${title}” ${what}. ${text}`,
			...(isPush && { actions: notification.actions }),
		},
	};
}

function isAsked(data: unknown): boolean {
	return (data as { question?: unknown } | null)?.question !== undefined;
}

function isOfPush(data: unknown): boolean {
	return (data as { kind?: unknown } | null)?.kind === 'push';
}
