import type { Notification as Push, ShownActivity } from '../../src/contract/shown.ts';
import { toSentences } from './sentences.ts';

/** Announced to screen readers; an activity's alert is also shown as a banner. */
export interface Attention {
	id: number;
	kind: 'push' | 'alert';
	/** The sender wants no sound. */
	isSilent: boolean;
	title: string;
	body?: string;
	activity?: ShownActivity;
	push?: Push;
}

/** For a new push. */
export function pushAttention(id: number, push: Push): Attention {
	const { title, subtitle, message } = push;
	const body = toSentences([subtitle, message]);
	return { id, kind: 'push', isSilent: push.sound === 'none', title, body, push };
}

/** For an activity's alert, whose text comes before the activity's. */
export function alertAttention(
	id: number,
	activity: ShownActivity,
	alert: { title?: string; body?: string },
): Attention {
	const { title, subtitle } = activity.content_state;
	return {
		id,
		kind: 'alert',
		isSilent: false,
		title: alert.title ?? title,
		body: alert.body ?? subtitle,
		activity,
	};
}
