import type {
	ExecutionError,
	IConnections,
	INode,
	INodeExecutionData,
	IPinData,
	IRun,
	ITaskData,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	IWorkflowSettings,
	Workflow,
} from 'n8n-workflow';

import { GivenCredentials, type CredentialData } from './credentials.ts';
import { core, n8n } from './n8n.ts';
import { InstalledTypes } from './node-types.ts';

/** A workflow as n8n exports it, reduced to the parts needed to run it. */
export interface WorkflowJson {
	name?: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	pinData?: IPinData;
}

export interface FinishedNode {
	name: string;
	type: string;
	/** The items of each output; empty if the node failed. */
	outputs: INodeExecutionData[][];
	error?: ExecutionError;
	milliseconds: number;
}

export interface WorkflowRun {
	status: IRun['status'];
	error?: ExecutionError;
	/** Every run of every node, in the order of finishing. */
	finished: FinishedNode[];
	/** All items that a node put out at one output, in all its runs. */
	itemsOf: (nodeName: string, output?: number) => INodeExecutionData[];
	/** Everything that n8n would store of the execution. */
	run: IRun;
}

export interface RunOptions {
	workflow: WorkflowJson;
	/** By the name of the credential type; a node that needs one gets it without naming it. */
	credentials?: CredentialData;
	/** Called as each node finishes, before the next one starts. */
	onNodeFinished?: (node: FinishedNode) => void | Promise<void>;
	/** Cancels the execution, as the Stop button does. */
	signal?: AbortSignal;
	/** The node to start at; by default the trigger. */
	startNode?: string;
	/** The node types to use, if several runs share them. */
	types?: InstalledTypes;
	/** The start of the URLs that resume a waiting execution. */
	webhookWaitingBaseUrl?: string;
	executionId?: string;
}

let sharedTypes: Promise<InstalledTypes> | undefined;

/** The installed node types, loaded once in a process. */
export async function installedTypes(): Promise<InstalledTypes> {
	sharedTypes ??= InstalledTypes.load();
	return await sharedTypes;
}

function withCredentials(node: INode, types: InstalledTypes): INode {
	const { credentials = [] } = types.getByNameAndVersion(node.type, node.typeVersion).description;
	const named = credentials.map(({ name }) => [name, { id: name, name }]);
	return { ...node, credentials: { ...Object.fromEntries(named), ...node.credentials } };
}

/** Sticky notes are for people; the engine has nothing to run. */
const isRunnable = ({ type }: INode) => type !== 'n8n-nodes-base.stickyNote';

let executions = 0;

/** The data that n8n's server gives an execution. Parts that none of our nodes may use fail on use. */
function additionalDataFor(credentialsHelper: GivenCredentials): IWorkflowExecuteAdditionalData {
	const url = 'http://localhost:5678';
	const needed = {
		credentialsHelper,
		currentNodeExecutionIndex: 0,
		restApiUrl: `${url}/rest`,
		instanceBaseUrl: `${url}/`,
		webhookBaseUrl: `${url}/webhook`,
		webhookWaitingBaseUrl: `${url}/webhook-waiting`,
		webhookTestBaseUrl: `${url}/webhook-test`,
		formWaitingBaseUrl: `${url}/form-waiting`,
		variables: {},
		executionId: String((executions += 1)),
	};
	return needed as unknown as IWorkflowExecuteAdditionalData;
}

function finishedNode(node: INode, task: ITaskData): FinishedNode {
	return {
		name: node.name,
		type: node.type,
		outputs: (task.data?.['main'] ?? []).map((items) => items ?? []),
		...(task.error && { error: task.error }),
		milliseconds: task.executionTime,
	};
}

/** A workflow that is ready to run, and the list to which its nodes are added as they finish. */
export interface PreparedRun {
	workflow: Workflow;
	additionalData: IWorkflowExecuteAdditionalData;
	finished: FinishedNode[];
}

export async function prepareRun(options: RunOptions): Promise<PreparedRun> {
	const types = options.types ?? (await installedTypes());
	const { name = 'Workflow', connections, settings = {}, pinData } = options.workflow;
	const nodes = options.workflow.nodes
		.filter(isRunnable)
		.map((node) => withCredentials(node, types));
	const workflow = new n8n.Workflow({
		id: 'test',
		name,
		nodes,
		connections,
		active: false,
		nodeTypes: types,
		settings: { executionOrder: 'v1', ...settings },
		...(pinData && { pinData }),
	});

	const finished: FinishedNode[] = [];
	const hooks = new core.ExecutionLifecycleHooks(
		'manual',
		'test',
		options.workflow as unknown as IWorkflowBase,
	);
	hooks.addHandler('nodeExecuteAfter', async (nodeName, task) => {
		const node = finishedNode(workflow.nodes[nodeName] as INode, task);
		finished.push(node);
		await options.onNodeFinished?.(node);
	});
	const additionalData = additionalDataFor(new GivenCredentials(types, options.credentials ?? {}));
	additionalData.hooks = hooks;
	if (options.webhookWaitingBaseUrl !== undefined) {
		additionalData.webhookWaitingBaseUrl = options.webhookWaitingBaseUrl;
	}
	if (options.executionId !== undefined) additionalData.executionId = options.executionId;
	return { workflow, additionalData, finished };
}

/** The outcome of a run that has ended or waits. */
export function outcomeOf(run: IRun, finished: readonly FinishedNode[]): WorkflowRun {
	const { error } = run.data.resultData;
	return {
		status: run.status,
		...(error && { error }),
		finished: [...finished],
		itemsOf: (nodeName, output = 0) =>
			finished
				.filter((node) => node.name === nodeName)
				.flatMap(({ outputs }) => outputs[output] ?? []),
		run,
	};
}

/**
 * Runs a workflow in n8n's own engine, with its real nodes and the built ones of this package. Resolves
 * for failed, waiting and cancelled runs too.
 * @throws if the workflow cannot run at all: a node type is missing or a parameter is not set
 */
export async function runWorkflow(options: RunOptions): Promise<WorkflowRun> {
	const { workflow, additionalData, finished } = await prepareRun(options);
	const { pinData } = options.workflow;
	const startNode = options.startNode === undefined ? undefined : workflow.nodes[options.startNode];
	const execution = new core.WorkflowExecute(additionalData, 'manual').run({
		workflow,
		...(startNode && { startNode }),
		...(pinData && { pinData }),
	});
	const cancel = () => execution.cancel();
	options.signal?.addEventListener('abort', cancel, { once: true });
	const run = await execution.finally(() => options.signal?.removeEventListener('abort', cancel));
	return outcomeOf(run, finished);
}
