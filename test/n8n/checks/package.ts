import type { Check } from './check.ts';
import { LINE_2 } from '../support/lines.ts';
import { BECKON, BECKON_TRIGGER } from '../support/workflows.ts';

/** n8n turns the node into a tool for AI agents; n8n 2 also into one for human review of their tools. */
const typesIn = (isLine2: boolean) =>
	[BECKON, BECKON_TRIGGER, `${BECKON}Tool`, ...(isLine2 ? [`${BECKON}HitlTool`] : [])].sort();

export const checkPackage: Check = (bench, line) => {
	describe('the package', () => {
		const brought = async () => (await bench().api.nodeTypes('n8n-nodes-beckon')).sort();

		it('brings its nodes, also as tools for AI agents', async () => {
			expect(await brought()).toEqual(typesIn(line === LINE_2));
		});

		it('is still there when n8n was restarted', async () => {
			await bench().n8n.restart();
			expect(await brought()).toEqual(typesIn(line === LINE_2));
		});
	});
};
