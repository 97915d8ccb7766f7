/** Ways to reach a phone at this moment, and the words for them. */
export const REACHES = {
	open: 'open now',
	/** Closed, but a push service can wake it. */
	push: 'reachable by push',
	/** Nothing can wake it: messages wait in its inbox until it is opened. */
	while_open: 'reachable only while open',
	disconnected: 'disconnected',
} as const;

export type Reach = keyof typeof REACHES;
