import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { Cancellation } from '../rules/cancellation';
import type { Run } from '../rules/pacing/queue';
import type { Access } from '../rules/transport';
import { readAccess } from './access';

/** The state that the items of one run of a node share. */
export interface NodeRun extends Run {
	/** Read once for all items, because reading decrypts it. */
	access: Promise<Access>;
	/** The outcomes of items that must not be sent again, whatever n8n retries. */
	settled: Map<number, Promise<unknown>>;
	/** What else the execution says, such as which texts were cut. */
	hints: Set<string>;
}

type Context = Pick<
	IExecuteSingleFunctions,
	'getExecuteData' | 'getExecutionCancelSignal' | 'getCredentials' | 'getNode'
>;

/**
 * n8n passes the same object to all items of a run and to all tries of "Retry On Fail", and drops it
 * when the run is over. An agent's tools get the agent's object, hence the second key: the node's name.
 */
const runs = new WeakMap<object, Map<string, NodeRun>>();

/**
 * True if the run is the node's own, so its items are the same at every try. An agent may call a tool twice with the
 * same words on purpose.
 */
export function isOwnRun(context: Context): boolean {
	return context.getExecuteData().node.name === context.getNode().name;
}

export function currentRun(context: Context): NodeRun {
	const identity = context.getExecuteData();
	const { name } = context.getNode();
	const ofNodes = runs.get(identity) ?? new Map<string, NodeRun>();
	runs.set(identity, ofNodes);
	const run: NodeRun = ofNodes.get(name) ?? {
		cancellation: new Cancellation(context.getExecutionCancelSignal()),
		inFlight: 0,
		waited: 0,
		access: readAccess(context),
		settled: new Map(),
		hints: new Set(),
	};
	ofNodes.set(name, run);
	return run;
}
