import type { IBinaryKeyData, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { runWorkflow, type RunOptions, type WorkflowRun } from './run-workflow.ts';

export const BECKON = 'n8n-nodes-beckon.beckon';

export interface OneNodeOptions extends Omit<RunOptions, 'workflow' | 'startNode'> {
	/** The node's input items; by default one without data. */
	items?: IDataObject[];
	/** Files of each item, by the name of the binary field. */
	binary?: IBinaryKeyData;
	/** Further settings of the node, such as `onError`. */
	node?: Partial<INode>;
}

/** Runs a Beckon node named "Beckon" after a trigger that outputs the given items. */
export async function runBeckon(
	parameters: INodeParameters,
	{ items = [{}], binary, node, ...options }: OneNodeOptions,
): Promise<WorkflowRun> {
	return await runWorkflow({
		...options,
		workflow: {
			nodes: [
				{
					id: '1',
					name: 'Items',
					type: 'n8n-nodes-base.manualTrigger',
					typeVersion: 1,
					position: [0, 0],
					parameters: {},
				},
				{
					id: '2',
					name: 'Beckon',
					type: BECKON,
					typeVersion: 2,
					position: [200, 0],
					parameters,
					...node,
				},
			],
			connections: { Items: { main: [[{ node: 'Beckon', type: 'main', index: 0 }]] } },
			pinData: { Items: items.map((json) => ({ json, ...(binary && { binary }) })) },
		},
	});
}
