import type { Check } from '../check-line.ts';

const NODE_TYPES = [
	'n8n-nodes-beckon.beckon',
	// n8n makes it for AI agents, because the node says that it can be a tool.
	'n8n-nodes-beckon.beckonTool',
];

export const checkPackage: Check = (bench) => {
	describe('the package', () => {
		it('brings its nodes, also as a tool for AI agents', async () => {
			expect(await bench().api.nodeTypes('n8n-nodes-beckon')).toEqual(NODE_TYPES);
		});

		it('is still there when n8n was restarted', async () => {
			await bench().n8n.restart();
			expect(await bench().api.nodeTypes('n8n-nodes-beckon')).toEqual(NODE_TYPES);
		});
	});
};
