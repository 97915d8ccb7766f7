import { createRequire } from 'node:module';

import type { IDataObject, INode } from 'n8n-workflow';

import { BECKON } from '../../test/engine/one-node.ts';
import { installedTypes, runWorkflow, type WorkflowRun } from '../../test/engine/run-workflow.ts';

/** A node that sends one push for each item, `title` being all that it says. */
export interface Contestant {
	name: string;
	node: (baseUrl: string) => Omit<INode, 'id' | 'name' | 'position'>;
}

export const OURS: Contestant = {
	name: 'Beckon',
	node: () => ({
		type: BECKON,
		typeVersion: 1,
		parameters: { resource: 'pushNotification', operation: 'send', title: '={{ $json.title }}' },
	}),
};

/** n8n's node for any HTTP call, with the same credential. */
export const HTTP_REQUEST: Contestant = {
	name: 'HTTP Request',
	node: (baseUrl) => ({
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: `${baseUrl}/push-notification`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'beckonApi',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ JSON.stringify({ title: $json.title }) }}',
			options: {},
		},
		credentials: { beckonApi: { id: 'beckonApi', name: 'beckonApi' } },
	}),
};

/** The most that the settings of a node in n8n's editor allow. */
export const HTTP_REQUEST_WITH_RETRIES: Contestant = {
	name: 'HTTP Request, Retry On Fail',
	node: (baseUrl) => ({
		...HTTP_REQUEST.node(baseUrl),
		retryOnFail: true,
		maxTries: 5,
		waitBetweenTries: 5000,
	}),
};

export interface Target {
	baseUrl: string;
	apiKey: string;
}

export interface Result {
	run: WorkflowRun;
	milliseconds: number;
}

/** Sends all items through one node in n8n's engine. */
export async function send(
	{ node }: Contestant,
	items: IDataObject[],
	{ baseUrl, apiKey }: Target,
): Promise<Result> {
	const types = await installedTypes();
	const trigger = { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	const began = performance.now();
	const run = await runWorkflow({
		types,
		credentials: { beckonApi: { baseUrl, apiKey } },
		workflow: {
			nodes: [
				{ ...trigger, id: '1', name: 'Items', position: [0, 0] },
				{ ...node(baseUrl), id: '2', name: 'Node', position: [200, 0] },
			],
			connections: { Items: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
			pinData: { Items: items.map((json) => ({ json })) },
		},
	});
	return { run, milliseconds: performance.now() - began };
}

export const engineVersion = (
	createRequire(import.meta.url)('n8n-core/package.json') as { version: string }
).version;
