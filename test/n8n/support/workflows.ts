import type { Workflow, WorkflowNode } from './n8n-api.ts';

export const BECKON = 'n8n-nodes-beckon.beckon';

export const BECKON_TRIGGER = 'n8n-nodes-beckon.beckonTrigger';

export const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';

/** A node as the editor creates it; its name is also its id. */
export function node(
	name: string,
	type: string,
	parameters: Record<string, unknown> = {},
): WorkflowNode {
	const typeVersion = type.startsWith(BECKON) && type !== BECKON_TRIGGER ? 2 : 1;
	return { name, type, parameters, id: name, typeVersion, position: [0, 0], webhookId: name };
}

/** A workflow in which each node follows the previous one. */
export function chain(name: string, nodes: WorkflowNode[]): Workflow {
	const links = nodes.slice(1).map((next, index) => {
		const main = [[{ node: next.name, type: 'main', index: 0 }]];
		return [nodes[index]?.name, { main }] as const;
	});
	return { name, nodes, connections: Object.fromEntries(links) };
}
