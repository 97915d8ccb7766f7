/**
 * The states of a delivery, one message to one phone, and the words for them, in the order in which people see them:
 * the most certain first. Console, command line and documents use only these (docs/api-decisions.md "Delivery states").
 */
export const DELIVERY_STATES = {
	/** The phone acknowledged it. */
	received: 'received',
	/** Apple's or the browser's push service took it. It is not known whether the phone got it. */
	handed_over: 'handed to the push service',
	/** It is in the phone's inbox; no push service can wake the phone, or its page is open. */
	stored: 'stored until opened',
	/** It is in the phone's inbox, and did not interrupt: the phone has muted every channel that it came through. */
	muted: 'muted',
	/** It is in the phone's inbox, and did not interrupt: the phone was quiet, or its level below the phone's minimum. */
	held_back: 'held back',
	/** No attempt has succeeded yet; the next one follows. */
	pending: 'waiting to be sent',
	/** It will not be retried; the reason is stored with it. */
	failed: 'failed',
	/** It had not arrived when it expired. */
	expired: 'expired before it arrived',
	/** A newer update was sent instead. */
	superseded: 'superseded',
} as const;

export type DeliveryState = keyof typeof DELIVERY_STATES;

/** The states as stored: `muted` and `held_back` are `stored`, with the reason in the columns `muted` and `held`. */
export type StoredState = Exclude<DeliveryState, 'muted' | 'held_back'>;

export const DELIVERY_STATE_NAMES = Object.keys(DELIVERY_STATES) as DeliveryState[];

/** The states that may precede each state. The phone has the last word: nothing follows `received`. */
export const STATES_BEFORE = {
	pending: [],
	stored: ['pending'],
	// An attempt that outlasts its lease may succeed after another one has settled the delivery.
	handed_over: ['pending', 'stored', 'failed', 'expired', 'superseded'],
	// A phone reads its inbox whatever its push service does.
	received: ['pending', 'stored', 'handed_over', 'failed', 'expired', 'superseded'],
	failed: ['pending'],
	// A browser acknowledges what it shows, so what was only handed over has not arrived.
	expired: ['pending', 'stored', 'handed_over'],
	superseded: ['pending'],
} as const satisfies Record<StoredState, readonly StoredState[]>;

/** The states of what the phone does not have, and will not get. */
export const NOT_DELIVERED = ['failed', 'expired'] as const satisfies readonly StoredState[];

/** The number of phones in each state. */
export type PhonesByState = Record<DeliveryState, number>;

export function noPhones(): PhonesByState {
	return Object.fromEntries(DELIVERY_STATE_NAMES.map((state) => [state, 0])) as PhonesByState;
}

/** For example "2 received, 187 stored until opened". */
export function phonesInWords(phones: PhonesByState): string {
	return DELIVERY_STATE_NAMES.filter((state) => phones[state] > 0)
		.map((state) => `${phones[state]} ${DELIVERY_STATES[state]}`)
		.join(', ');
}
