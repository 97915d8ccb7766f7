import type { EntryDetail } from '../../../src/contract/console/history.ts';
import type { Notification, ShownActivity } from '../../../src/contract/shown.ts';
import type { RequestName } from './requests.ts';

/** A request to continue with in the Playground. */
interface Incoming {
	request: RequestName;
	key?: string;
	body: Record<string, unknown>;
}

let incoming: Incoming | undefined;

export function openInPlayground(request: Incoming): void {
	incoming = request;
	window.location.hash = `#/playground?request=${request.request}`;
}

/** The request that the Playground was opened with; only once. */
export function takeIncoming(): Incoming | undefined {
	const taken = incoming;
	incoming = undefined;
	return taken;
}

/**
 * The request that would show the same again; the addresses of webhooks stay on the server. A question has none: only
 * the program that asked it waits for its answer.
 */
export function toIncoming({ lifecycle, ...entry }: EntryDetail): Incoming | undefined {
	const last = lifecycle.findLast(({ kind }) => kind !== 'push_update');
	if (!last) return undefined;
	const common = {
		...(entry.channels && { target: { channels: entry.channels } }),
		...(entry.tags.length > 0 && { tags: entry.tags }),
		metadata: entry.metadata ?? undefined,
	};
	if (entry.kind === 'badge') return { request: 'badge', body: { ...common, badge: last.content } };
	if (entry.kind === 'push') {
		const { question, ...push } = last.content as Notification;
		return question ? undefined : { request: 'push', body: { ...push, ...common } };
	}
	const { activity } = last.content as { activity: ShownActivity };
	const { content_state: state, action, secondary_action: secondary } = activity;
	const timer = state.type === 'timer' ? state.timer : {};
	const body = {
		...common,
		content_state: { ...state, ...timer },
		action,
		secondary_action: secondary,
	};
	const { stream_key: key } = entry;
	return key === null ? { request: 'start', body } : { request: 'stream', key, body };
}
