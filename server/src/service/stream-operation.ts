import type { StreamOperation } from '../contract/live-activities.ts';

/** What the rules for choosing an operation look at (docs/api-decisions.md "Streams"). */
export interface StreamSituation {
	isPaused: boolean;
	hasActivity: boolean;
	/** Of the activity, in milliseconds. */
	age: number;
	rotationAge: number;
	typeChanged: boolean;
	audienceChanged: boolean;
	/** The merged state, actions and tags equal what is stored. */
	nothingChanged: boolean;
	alertSent: boolean;
}

/** The five operations, decided in the order of docs/api-decisions.md "Streams". */
export function streamOperation(situation: StreamSituation): StreamOperation {
	if (situation.isPaused) return 'paused';
	if (!situation.hasActivity) return 'started';
	if (situation.age > situation.rotationAge || situation.typeChanged || situation.audienceChanged)
		return 'rotated';
	if (situation.nothingChanged && !situation.alertSent) return 'noop';
	return 'updated';
}
