import type { StreamOperation } from '../../contract/live-activities.ts';

/** Input of the rules that choose an operation (docs/api-decisions.md "Streams"). */
export interface StreamSituation {
	isPaused: boolean;
	hasActivity: boolean;
	/** Age of the activity in milliseconds. */
	age: number;
	rotationAge: number;
	typeChanged: boolean;
	audienceChanged: boolean;
	/** True if the merged state, actions and tags equal the stored ones. */
	nothingChanged: boolean;
	alertSent: boolean;
}

/** Chooses one of the five operations, in the order of docs/api-decisions.md "Streams". */
export function streamOperation(situation: StreamSituation): StreamOperation {
	if (situation.isPaused) return 'paused';
	if (!situation.hasActivity) return 'started';
	if (situation.age > situation.rotationAge || situation.typeChanged || situation.audienceChanged)
		return 'rotated';
	if (situation.nothingChanged && !situation.alertSent) return 'noop';
	return 'updated';
}
