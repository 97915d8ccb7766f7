import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { accessOf, type Access } from './access';
import { Cancellation } from './cancellation';
import type { Run } from './pacing/queue';

/** What the items of one run of a node share. */
export interface NodeRun extends Run {
	/** Read once for all items, as reading decrypts it. */
	access: Promise<Access>;
}

type Context = Pick<
	IExecuteSingleFunctions,
	'getExecuteData' | 'getExecutionCancelSignal' | 'getCredentials'
>;

/** n8n hands the same object to all items of a run, and forgets it when the run is over. */
const runs = new WeakMap<object, NodeRun>();

export function runOf(context: Context): NodeRun {
	const identity = context.getExecuteData();
	const known = runs.get(identity);
	if (known) return known;
	const run: NodeRun = {
		cancellation: new Cancellation(context.getExecutionCancelSignal()),
		inFlight: 0,
		access: accessOf(context),
	};
	runs.set(identity, run);
	return run;
}
