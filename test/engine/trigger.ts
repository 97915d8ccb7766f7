import type {
	INodeExecutionData,
	INodeParameters,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';

import { core } from './n8n.ts';
import { installedTypes, prepareRun } from './run-workflow.ts';

type Execution = ReturnType<ITriggerFunctions['helpers']['createDeferredPromise']>;

export interface Emitted {
	json: Record<string, unknown>;
	/** Settled when the execution has ended. */
	execution: Execution | undefined;
	deduplicationKey: string | undefined;
}

export interface TriggerGiven {
	/** Names the workflow: each has a trigger of its own. */
	name: string;
	parameters?: INodeParameters;
	mode?: 'trigger' | 'manual';
	activation?: 'activate' | 'update' | 'init';
	/** False for n8n 1. */
	isNewer?: boolean;
	/** Null for a node whose credential was deleted. */
	access: { baseUrl: string; apiKey: string } | null;
	/** Called for each execution that the trigger starts. */
	emit: (emitted: Emitted) => void;
	/** Called for a failed execution that it asks n8n to list. */
	saveFailedExecution?: (error: Error) => void;
	/** Called when it fails: n8n 1 then closes it, and starts it anew. */
	emitError?: (error: Error) => void;
}

/** Starts a Beckon Trigger as n8n does. */
export async function startTrigger({
	name,
	parameters = {},
	mode = 'trigger',
	activation = 'activate',
	isNewer = true,
	access,
	emit,
	saveFailedExecution,
	emitError,
}: TriggerGiven): Promise<ITriggerResponse> {
	const type = 'n8n-nodes-beckon.beckonTrigger';
	const node = {
		id: name,
		name: 'Beckon Trigger',
		type,
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters,
	};
	const { workflow, additionalData } = await prepareRun({
		workflow: { name, nodes: [node], connections: {} },
		credentials: access ? { beckonApi: access } : {},
	});
	const onEmit = (
		data: INodeExecutionData[][],
		_response?: unknown,
		execution?: unknown,
		deduplicationKey?: string,
	) => {
		const item = data[0]?.[0];
		if (item) emit({ json: item.json, execution: execution as Execution, deduplicationKey });
	};
	const [own] = Object.values(workflow.nodes);
	if (!own) throw new Error('The workflow has no trigger');
	const context = new core.TriggerContext(
		workflow,
		own,
		additionalData,
		mode,
		activation,
		onEmit,
		emitError,
		saveFailedExecution,
	);
	// n8n 1 has no such function.
	if (!isNewer) Reflect.deleteProperty(context, 'saveFailedExecution');
	const { trigger } = (await installedTypes()).getByNameAndVersion(type, 1);
	if (!trigger) throw new Error('The node is no trigger');
	return (await trigger.call(context)) ?? {};
}
