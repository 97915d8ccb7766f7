import type { Snapshot } from '../../src/contract/device.ts';

/** The notifications and the questions of a snapshot, newest first. */
export function shownIn({ notifications, questions }: Snapshot) {
	return [...notifications, ...questions]
		.map(({ id, sent_at, push, held }) => ({ id, sent_at, push, held }))
		.sort((a, b) => b.id - a.id);
}
