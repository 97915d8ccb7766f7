import { createRequire } from 'node:module';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { InstalledTypes } from '../../test/engine/node-types.ts';
import { BECKON } from '../../test/engine/one-node.ts';
import { installedTypes, runWorkflow, type WorkflowRun } from '../../test/engine/run-workflow.ts';

/** The fields of a push; each value is a text or an n8n expression. */
export type Fields = Readonly<Record<string, string>>;

/** A node that sends one push per item. */
export interface Contestant {
	name: string;
	node: (fields: Fields, baseUrl: string) => Omit<INode, 'id' | 'name' | 'position'>;
	/** The installed node types, if not those of this build. */
	types?: InstalledTypes;
}

/** Fields at the top of the node's panel; all others are under Options. */
const AT_THE_TOP = ['title', 'message'];

function parametersFor(fields: Fields): INodeParameters {
	const entries = Object.entries(fields);
	return {
		resource: 'pushNotification',
		operation: 'send',
		...Object.fromEntries(entries.filter(([name]) => AT_THE_TOP.includes(name))),
		options: {
			...Object.fromEntries(entries.filter(([name]) => !AT_THE_TOP.includes(name))),
			// HTTP Request does not keep the order either.
			parallelRequests: 1000,
		},
	};
}

export const OURS: Contestant = {
	name: 'Beckon',
	node: (fields) => ({ type: BECKON, typeVersion: 2, parameters: parametersFor(fields) }),
};

/** n8n's node for any HTTP call, with the same credential. */
function httpRequest(name: string, bodyOf: (fields: Fields) => INodeParameters): Contestant {
	return {
		name,
		node: (fields, baseUrl) => ({
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: `${baseUrl}/push-notification`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'beckonApi',
				sendBody: true,
				...bodyOf(fields),
				options: {},
			},
			credentials: { beckonApi: { id: 'beckonApi', name: 'beckonApi' } },
		}),
	};
}

/** The inside of `={{ … }}`, or a text as a literal of the expression language. */
const termOf = (value: string) =>
	/^=\{\{(.*)\}\}$/.exec(value)?.[1]?.trim() ?? JSON.stringify(value);

/** All values in one expression. */
export const HTTP_REQUEST_JSON = httpRequest('HTTP Request, JSON body', (fields) => {
	const entries = Object.entries(fields);
	const terms = entries.map(([name, value]) => `${name}: ${termOf(value)}`);
	const isFixed = entries.every(([, value]) => !value.startsWith('='));
	return {
		specifyBody: 'json',
		jsonBody: isFixed ? JSON.stringify(fields) : `={{ JSON.stringify({ ${terms.join(', ')} }) }}`,
	};
});

/** As filled in by a person who does not write JSON. */
export const HTTP_REQUEST_FIELDS = httpRequest('HTTP Request, a field per value', (fields) => ({
	specifyBody: 'keypair',
	bodyParameters: {
		parameters: Object.entries(fields).map(([name, value]) => ({ name, value })),
	},
}));

/** The most that a node's settings in n8n's editor allow. */
export const HTTP_REQUEST_WITH_RETRIES: Contestant = {
	name: 'HTTP Request, Retry On Fail',
	node: (fields, baseUrl) => ({
		...HTTP_REQUEST_JSON.node(fields, baseUrl),
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
	contestant: Contestant,
	fields: Fields,
	items: IDataObject[],
	{ baseUrl, apiKey }: Target,
): Promise<Result> {
	const types = contestant.types ?? (await installedTypes());
	const trigger = { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	const node = contestant.node(fields, baseUrl);
	const began = performance.now();
	const run = await runWorkflow({
		types,
		credentials: { beckonApi: { baseUrl, apiKey } },
		workflow: {
			nodes: [
				{ ...trigger, id: '1', name: 'Items', position: [0, 0] },
				{ ...node, id: '2', name: 'Node', position: [200, 0] },
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
