import type { HistoryKind } from '../../../src/contract/console/records.ts';

/** What a line of the history is about, in people's words. */
export const KINDS: Record<HistoryKind, { name: string; color: string }> = {
	push: { name: 'Push', color: 'violet' },
	badge: { name: 'Badge', color: 'orange' },
	activity: { name: 'Live Activity', color: 'teal' },
};
