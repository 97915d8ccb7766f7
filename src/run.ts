import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

import { accessOf, type Access } from './access';
import { Cancellation } from './cancellation';
import type { Run } from './pacing/queue';

/** What the items of one run of a node share. */
export interface NodeRun extends Run {
	/** Read once for all items, as reading decrypts it. */
	access: Promise<Access>;
	/** Of the Beckon Trigger, once a button needs it. */
	triggerSecret?: Promise<string | undefined>;
	/** What became of items that must not be sent again, whatever n8n tries again. */
	settled: Map<number, () => INodeExecutionData[]>;
}

type Context = Pick<
	IExecuteSingleFunctions,
	'getExecuteData' | 'getExecutionCancelSignal' | 'getCredentials' | 'getNode'
>;

/**
 * n8n hands the same object to all items of a run and to all tries of "Retry On Fail", and forgets it
 * when the run is over. The tools of an agent are handed that of the agent, hence by the node's name.
 */
const runs = new WeakMap<object, Map<string, NodeRun>>();

/**
 * Whether the run is the node's own, so that its items are the same at every try. An agent may call a
 * tool twice with the same words, and mean it.
 */
export function isOwnRun(context: Context): boolean {
	return context.getExecuteData().node.name === context.getNode().name;
}

export function runOf(context: Context): NodeRun {
	const identity = context.getExecuteData();
	const { name } = context.getNode();
	const ofNodes = runs.get(identity) ?? new Map<string, NodeRun>();
	runs.set(identity, ofNodes);
	const known = ofNodes.get(name);
	if (known) return known;
	const run: NodeRun = {
		cancellation: new Cancellation(context.getExecutionCancelSignal()),
		inFlight: 0,
		waited: 0,
		access: accessOf(context),
		settled: new Map(),
	};
	ofNodes.set(name, run);
	return run;
}
