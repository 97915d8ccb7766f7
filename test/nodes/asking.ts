import type { INodeParameters } from 'n8n-workflow';

import type { Delivery } from '../../server/src/contract/device.ts';
import { BECKON } from '../engine/one-node.ts';
import type { WorkflowJson } from '../engine/run-workflow.ts';

export type Push = Extract<Delivery, { kind: 'push' }>;

/** A question with one button. */
export const APPROVE_ONLY = { approvalOptions: { values: { approvalType: 'single' } } };

const node = (name: string, type: string, parameters: INodeParameters) => ({
	id: name,
	name,
	type,
	typeVersion: type === BECKON ? 2 : 1,
	position: [0, 0] as [number, number],
	parameters,
});

const to = (name: string) => ({ main: [[{ node: name, type: 'main' as const, index: 0 }]] });

/** Asks, then goes on. */
export function asks(parameters: INodeParameters): WorkflowJson {
	return {
		nodes: [
			node('Begin', 'n8n-nodes-base.manualTrigger', {}),
			node('Ask', BECKON, { operation: 'sendAndWait', ...parameters }),
			node('After', 'n8n-nodes-base.noOp', {}),
		],
		connections: { Begin: to('Ask'), Ask: to('After') },
		pinData: { Begin: [{ json: { version: '1.4' } }] },
	};
}

/** Asks in two nodes, one after the other, then goes on. */
export function asksTwice(first: INodeParameters, second: INodeParameters): WorkflowJson {
	const { nodes, ...workflow } = asks(first);
	return {
		...workflow,
		nodes: [...nodes, node('Ask Again', BECKON, { operation: 'sendAndWait', ...second })],
		connections: { Begin: to('Ask'), Ask: to('Ask Again'), 'Ask Again': to('After') },
	};
}

/** Asks about each of two items in turn, in a loop. */
export function asksInLoop(parameters: INodeParameters): WorkflowJson {
	const { nodes } = asks(parameters);
	return {
		nodes: [...nodes, { ...node('Loop', 'n8n-nodes-base.splitInBatches', {}), typeVersion: 3 }],
		connections: {
			Begin: to('Loop'),
			Loop: {
				main: [
					[{ node: 'After', type: 'main', index: 0 }],
					[{ node: 'Ask', type: 'main', index: 0 }],
				],
			},
			Ask: to('Loop'),
		},
		pinData: { Begin: [{ json: { n: 1 } }, { json: { n: 2 } }] },
	};
}
