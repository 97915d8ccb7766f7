import { createRequire } from 'node:module';
import path from 'node:path';

import { LINE_1, type Line } from './lines.ts';
import { until } from './wait.ts';

/** The owner of the n8n under test. */
export const OWNER = {
	email: 'owner@example.com',
	password: 'A-long-secret-1',
	firstName: 'Ada',
	lastName: 'Owner',
};

export interface WorkflowNode {
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
	[other: string]: unknown;
}

/** A workflow as n8n exports it. */
export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	pinData?: Record<string, unknown>;
}

export interface SavedWorkflow extends Workflow {
	id: string;
	versionId: string;
}

export interface Credential {
	id: string;
	name: string;
	type: string;
}

export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

/** An item that a node put out. */
export interface Item {
	json: Record<string, unknown>;
	pairedItem?: unknown;
}

interface NodeRun {
	error?: { message: string; description?: string };
	data?: { main?: Array<Item[] | null> };
}

interface RunData {
	/** The time until which the execution waits; n8n clears it on resuming. */
	waitTill?: unknown;
	resultData: {
		runData: Record<string, NodeRun[]>;
		error?: { message: string; description?: string };
	};
}

export interface Execution {
	id: string;
	status: 'new' | 'running' | 'waiting' | 'success' | 'error' | 'canceled' | 'crashed';
	workflowId: string;
	error?: { message: string; description?: string };
	/**
	 * True if the data below is from before the end. n8n 1 stores an execution's status first: meanwhile its
	 * data is empty, that of the wait, or that of resuming, when the run of the waiting node is taken out.
	 */
	isStale: boolean;
	/** All items of a node's first output, in all of its runs. */
	itemsOf: (nodeName: string) => Item[];
}

/** An entry offered for choice. */
export interface Choice {
	name: string;
	value: string;
}

/** A field of a node in the editor. */
interface Loading {
	nodeType: string;
	/** Path of the field among the node's parameters. */
	path: string;
	methodName: string;
	credential: Credential;
}

const inEditor = ({ nodeType, path: parameter, methodName, credential }: Loading) => ({
	nodeTypeAndVersion: { name: nodeType, version: 1 },
	path: `parameters.${parameter}`,
	methodName,
	currentNodeParameters: {},
	credentials: { [credential.type]: { id: credential.id, name: credential.name } },
});

/** The editor's calls to n8n, made by a program. Both lines support all of them. */
export class N8nApi {
	private readonly url: string;

	private readonly line: Line;

	private cookie = '';

	constructor(url: string, line: Line) {
		this.url = url;
		this.line = line;
	}

	/** In another n8n with the same users. */
	at(url: string): N8nApi {
		const api = new N8nApi(url, this.line);
		api.cookie = this.cookie;
		return api;
	}

	/** The first step in a new n8n. The session survives restarts. */
	async setUpOwner(): Promise<void> {
		await this.call('POST', '/owner/setup', OWNER);
	}

	async createCredential(
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<Credential> {
		return await this.call('POST', '/credentials', { name, type, data });
	}

	async changeCredential(credential: Credential, data: Record<string, unknown>): Promise<void> {
		await this.call('PATCH', `/credentials/${credential.id}`, { ...credential, data });
	}

	/** The test that n8n runs when a person saves a credential. */
	async testCredential(
		credential: Credential,
		data: Record<string, unknown>,
	): Promise<CredentialTest> {
		return await this.call('POST', '/credentials/test', { credentials: { ...credential, data } });
	}

	/** With an id, as an import creates it; n8n 1 chooses another. */
	async createWorkflow(workflow: Workflow & { id?: string }): Promise<SavedWorkflow> {
		return await this.call('POST', '/workflows', {
			active: false,
			settings: {},
			...workflow,
		});
	}

	/** Runs a workflow as its Execute button does, and returns the execution's id. */
	async run(workflow: SavedWorkflow, trigger: string): Promise<string> {
		const { executionId } = await this.call<{ executionId?: string }>(
			'POST',
			`/workflows/${workflow.id}/run`,
			{ workflowData: workflow, triggerToStartFrom: { name: trigger } },
		);
		if (executionId === undefined) throw new Error(`${workflow.name} waits for its trigger`);
		return executionId;
	}

	async execution(id: string): Promise<Execution> {
		const { data, ...execution } = await this.call<Execution & { data: string }>(
			'GET',
			`/executions/${id}`,
		);
		const { resultData, waitTill } = this.parse(data);
		const { error, runData } = resultData;
		const runs = Object.values(runData);
		const isWhole = !waitTill && runs.length > 0 && runs.every(({ length }) => length > 0);
		return {
			...execution,
			isStale: execution.status === 'success' && !isWhole,
			...(error && { error }),
			itemsOf: (nodeName) => (runData[nodeName] ?? []).flatMap((run) => run.data?.main?.[0] ?? []),
		};
	}

	/** Waits until an execution has ended, or waits for long. */
	async settled(id: string): Promise<Execution> {
		return await this.in(id, ({ status }) => !['new', 'running'].includes(status));
	}

	/** Waits until an execution has ended, even if it waits now. */
	async ended(id: string): Promise<Execution> {
		const isOver = ({ status }: Execution) => !['new', 'running', 'waiting'].includes(status);
		return await this.in(id, isOver);
	}

	/** The executions of a workflow, newest first. */
	async executions(workflowId: string): Promise<Array<Pick<Execution, 'id' | 'status'>>> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.call<{ results: Execution[] }>(
			'GET',
			`/executions?filter=${filter}`,
		);
		return results;
	}

	/** Like its switch or, in n8n 2, its Publish button: its triggers listen from now on. */
	async activate({ id, versionId }: SavedWorkflow): Promise<void> {
		await this.call('POST', `/workflows/${id}/activate`, { versionId });
	}

	async deactivate({ id }: SavedWorkflow): Promise<void> {
		await this.call('POST', `/workflows/${id}/deactivate`);
	}

	/** Saves a change, as the editor does; n8n 2 runs it once it is activated. */
	async update(workflow: SavedWorkflow, change: Partial<Workflow>): Promise<SavedWorkflow> {
		const { id, versionId } = workflow;
		return await this.call('PATCH', `/workflows/${id}`, { versionId, ...change });
	}

	/** Why a trigger of an active workflow does not listen. n8n 2 starts it after it has answered the activation. */
	async activationError(id: string): Promise<string> {
		return await until(
			async () => {
				if (this.line === LINE_1) {
					const route = `/active-workflows/error/${id}`;
					return (await this.call<string | null>('GET', route)) ?? undefined;
				}
				const { triggers } = await this.call<{ triggers: Array<{ errorMessage: string | null }> }>(
					'GET',
					`/workflows/${id}/publication-status`,
				);
				return triggers[0]?.errorMessage ?? undefined;
			},
			{ what: 'error of the activation' },
		);
	}

	/** What a field of a node offers for choice, as the editor loads it when the field is opened. */
	async options(loading: Loading): Promise<Choice[]> {
		return await this.call('POST', '/dynamic-node-parameters/options', inEditor(loading));
	}

	/** What a field with a list offers for the words typed into it. */
	async search({ filter, ...loading }: Loading & { filter: string }): Promise<Choice[]> {
		const { results } = await this.call<{ results: Choice[] }>(
			'POST',
			'/dynamic-node-parameters/resource-locator-results',
			{ ...inEditor(loading), filter },
		);
		return results;
	}

	/** Names of the node types in a package. */
	async nodeTypes(packageName: string): Promise<string[]> {
		const types = await this.fetchJson<Array<{ name: string }>>('GET', '/types/nodes.json');
		return types.map(({ name }) => name).filter((name) => name.startsWith(`${packageName}.`));
	}

	/** Like the Stop button. */
	async cancel(executionId: string): Promise<void> {
		await this.call('POST', `/executions/${executionId}/stop`);
	}

	private async in(id: string, isThere: (execution: Execution) => boolean): Promise<Execution> {
		return await until(
			async () => {
				const execution = await this.execution(id);
				return isThere(execution) && !execution.isStale ? execution : undefined;
			},
			{ what: `end of the execution ${id}` },
		);
	}

	private async call<T>(method: string, route: string, body?: unknown): Promise<T> {
		return (await this.fetchJson<{ data: T }>(method, `/rest${route}`, body)).data;
	}

	private async fetchJson<T>(method: string, route: string, body?: unknown): Promise<T> {
		const response = await fetch(this.url + route, {
			method,
			headers: { cookie: this.cookie, 'content-type': 'application/json' },
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		if (!response.ok)
			throw new Error(`n8n's ${method} ${route} answered ${response.status}: ${text}`);
		const session = response.headers
			.getSetCookie()
			.find((cookie) => cookie.startsWith('n8n-auth='));
		if (session !== undefined) this.cookie = session.split(';', 1)[0] ?? '';
		return JSON.parse(text) as T;
	}

	/** n8n stores executions in a form that keeps references; its own library parses it. */
	private parse(data: string): RunData {
		const { parse } = createRequire(path.join(this.line.folder, 'node_modules/n8n/package.json'))(
			'flatted',
		) as { parse: (text: string) => RunData };
		return parse(data);
	}
}
