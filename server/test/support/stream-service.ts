import { Refusal } from '../../src/service/refusal.ts';
import type { State } from './question-model.ts';
import type { Change } from './stream-model.ts';

/** The answer to a request on a stream or Live Activity; `body` as the API has it. */
export interface StreamAnswer {
	status: number;
	body: Record<string, any>;
}

export interface ChangeById {
	activity_id: string;
	content_state: State;
	tags: string[] | undefined;
}

/** The streams and Live Activities of one account: through the API, or by the decisions alone. */
export interface StreamService {
	put(key: string, change: Change): Promise<StreamAnswer>;
	delete(key: string, change: Partial<Change>): Promise<StreamAnswer>;
	changeById(verb: 'update' | 'end', change: ChangeById): Promise<StreamAnswer>;
	/** @returns false if it is refused */
	pause(key: string): Promise<boolean>;
	/** @returns undefined if it is refused; otherwise the id of the activity, null if none was started */
	resume(key: string): Promise<{ started: string | null } | undefined>;
	/** Ends the activities that are too old. */
	expire(): Promise<void>;
	/** @returns the time after the wait */
	wait(seconds: number): number;
	running(): Promise<Array<{ id: string; stream_key: string | null }>>;
}

/** @returns for a catch: `value` for a Refusal; other errors are thrown */
export function refusedAs<T>(value: T) {
	return (error: unknown): T => {
		if (error instanceof Refusal) return value;
		throw error;
	};
}
