import type {
	IExecuteData,
	INodeExecutionData,
	INodeParameters,
	IRunExecutionData,
} from 'n8n-workflow';

import type { CredentialData } from './credentials.ts';
import { core, n8n } from './n8n.ts';
import { BECKON } from './one-node.ts';
import { prepareRun } from './run-workflow.ts';

type Output = INodeExecutionData[][];

/** One run of an agent that has a Beckon node as its tool. @returns calls the tool as n8n does for an agent */
export async function agentWith(
	parameters: INodeParameters,
	credentials: CredentialData,
): Promise<(words: Record<string, string>) => Promise<Output>> {
	const { workflow, additionalData } = await prepareRun({
		workflow: {
			nodes: [
				{
					id: '1',
					name: 'Agent',
					type: 'n8n-nodes-base.noOp',
					typeVersion: 1,
					position: [0, 0],
					parameters: {},
				},
				{ id: '2', name: 'Tell', type: BECKON, typeVersion: 2, position: [0, 0], parameters },
			],
			connections: { Tell: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] } },
		},
		credentials,
	});
	const [agent, tool] = [workflow.getNode('Agent')!, workflow.getNode('Tell')!];
	const input = [{ json: {} }];
	const executeData: IExecuteData = { node: agent, data: { main: [input] }, source: null };
	return async (words) => {
		const context = new core.SupplyDataContext(
			workflow,
			tool,
			additionalData,
			'manual',
			{
				resultData: { runData: {} },
				executionData: { contextData: {} },
			} as unknown as IRunExecutionData,
			0,
			input,
			{ main: [input] },
			n8n.NodeConnectionTypes.AiTool,
			executeData,
			[],
			undefined,
			agent,
		);
		context.addInputData('ai_tool', [[{ json: words }]]);
		const { execute } = workflow.nodeTypes.getByNameAndVersion(BECKON, 2);
		return (await execute!.call(context as never)) as Output;
	};
}
