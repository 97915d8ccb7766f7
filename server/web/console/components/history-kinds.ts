import type { HistoryKind } from '../../../src/contract/console/history.ts';

/** The kinds of history entries, in plain words. */
export const KINDS: Record<HistoryKind, { name: string; color: string }> = {
	push: { name: 'Push', color: 'violet' },
	badge: { name: 'Badge', color: 'orange' },
	activity: { name: 'Live Activity', color: 'teal' },
};
