/** How a phone can be reached at this moment, and the words for it. */
export const REACHES = {
	open: 'open now',
	/** Closed, and a push service can wake it. */
	push: 'reachable by push',
	/** Nothing can wake it: what is sent waits in its inbox until it is opened. */
	while_open: 'reachable only while open',
	disconnected: 'disconnected',
} as const;

export type Reach = keyof typeof REACHES;
