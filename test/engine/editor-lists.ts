import type { INodeListSearchResult, INodeParameters, INodePropertyOptions } from 'n8n-workflow';

import type { CredentialData } from './credentials.ts';
import { core } from './n8n.ts';
import { BECKON } from './one-node.ts';
import { prepareRun } from './run-workflow.ts';

/** A Beckon node that is open in n8n's editor, which loads what its fields offer for choice. */
export class OpenNode {
	private readonly parameters: INodeParameters;

	private readonly credentials: CredentialData;

	constructor(parameters: INodeParameters, credentials: CredentialData) {
		this.parameters = parameters;
		this.credentials = credentials;
	}

	/** Loads the options of a field, as opening it does. */
	async options(method: string): Promise<INodePropertyOptions[]> {
		const { type, context } = await this.loading();
		const load = type.methods?.loadOptions?.[method];
		if (!load) throw new Error(`The node loads nothing by ${method}`);
		return await load.call(context);
	}

	/** Searches a field's list, as typing into it does. */
	async search(
		method: string,
		filter?: string,
		paginationToken?: string,
	): Promise<INodeListSearchResult> {
		const { type, context } = await this.loading();
		const search = type.methods?.listSearch?.[method];
		if (!search) throw new Error(`The node searches nothing by ${method}`);
		return await search.call(context, filter, paginationToken);
	}

	private async loading() {
		const { workflow, additionalData } = await prepareRun({
			workflow: {
				nodes: [
					{
						id: '1',
						name: 'Beckon',
						type: BECKON,
						typeVersion: 2,
						position: [0, 0],
						parameters: this.parameters,
					},
				],
				connections: {},
			},
			credentials: this.credentials,
		});
		const node = workflow.nodes['Beckon']!;
		additionalData.currentNodeParameters = node.parameters;
		const type = workflow.nodeTypes.getByNameAndVersion(BECKON);
		return { type, context: new core.LoadOptionsContext(workflow, node, additionalData, '') };
	}
}
