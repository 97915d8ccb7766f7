import type { InstanceSettings } from 'n8n-core';
import type { IRunExecutionData, IWebhookData, IWebhookResponseData } from 'n8n-workflow';

import { core, require } from './n8n.ts';
import {
	outcomeOf,
	prepareRun,
	runWorkflow,
	type PreparedRun,
	type RunOptions,
	type WorkflowRun,
} from './run-workflow.ts';
import { serveWebhooks, type WebhookRequest, type WebhookResponse } from './webhook-server.ts';

const { Container } = require('@n8n/di') as { Container: { get: <T>(type: unknown) => T } };

const secret = () => Container.get<InstanceSettings>(core.InstanceSettings).hmacSignatureSecret;

/** n8n's own functions check the signature, with this instance's secret. */
function isSigned({ url, query }: WebhookRequest): boolean {
	return core.validateUrlSignature(query['signature'] ?? '', url, secret());
}

/** Calls the `webhook` method of a node in n8n's own context. */
async function callWebhook(
	{ workflow, additionalData }: Pick<PreparedRun, 'workflow' | 'additionalData'>,
	nodeName: string,
	request: WebhookRequest,
	response: WebhookResponse,
	data?: IRunExecutionData,
): Promise<IWebhookResponseData> {
	const node = workflow.getNode(nodeName);
	if (!node) throw new Error(`The workflow has no node named ${nodeName}`);
	const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	const webhookDescription = type.description.webhooks?.find(
		({ httpMethod }) => httpMethod === request.method,
	);
	if (!webhookDescription || !type.webhook) throw new Error(`No webhook for ${request.method}`);
	const called = { ...additionalData, httpRequest: request, httpResponse: response };
	const context = new core.WebhookContext(
		workflow,
		node,
		called,
		'manual',
		{ webhookDescription, node: nodeName } as unknown as IWebhookData,
		[],
		data ?? null,
	);
	return await type.webhook.call(context);
}

/** Sends n8n's own reply if the node has not answered itself. */
function answerFor(result: IWebhookResponseData, response: WebhookResponse): void {
	if (response.isSent || result.noWebhookResponse === true) return;
	const content: unknown = result.webhookResponse;
	if (typeof content === 'string') response.end(content);
	else response.json(content ?? { message: 'Workflow was started' });
}

/** The number of executions so far; each has its own id, as in n8n. */
let executions = 0;

/**
 * One execution that can wait, and the URL that resumes it. It does what n8n's server does with a
 * waiting execution, in the same order: store it as text, check the signature, call the node's webhook,
 * and continue after the node with the webhook's result.
 */
export class WaitingExecution {
	private readonly options: RunOptions;

	private readonly executionId = `execution-${(executions += 1)}`;

	private readonly server: Awaited<ReturnType<typeof serveWebhooks>>;

	/** Calls of the webhook that have returned. */
	calls = 0;

	/** The number of returned calls needed before it resumes. */
	private callsNeeded = 0;

	private readonly held: Array<() => void> = [];

	/** The stored execution while it waits. */
	private stored: string | undefined;

	private finish: (run: WorkflowRun) => void = () => undefined;

	private constructor(options: RunOptions, server: Awaited<ReturnType<typeof serveWebhooks>>) {
		const { executionId } = this;
		const webhookWaitingBaseUrl = `${server.url}/webhook-waiting`;
		this.options = { ...options, executionId, webhookWaitingBaseUrl };
		this.server = server;
	}

	static async of(options: RunOptions): Promise<WaitingExecution> {
		let execution: WaitingExecution | undefined = undefined as WaitingExecution | undefined;
		const server = await serveWebhooks(async (request, response) => {
			await execution?.receive(request, response);
		});
		execution = new WaitingExecution(options, server);
		return execution;
	}

	get isWaiting(): boolean {
		return this.stored !== undefined;
	}

	/** The URL that n8n makes for a node. Only the phones' server gets to know it. */
	resumeUrl(nodeId: string, query: Record<string, string>): string {
		const path = core.buildResumeUrlSuffix(this.executionId, nodeId);
		const url = new URL(`${this.server.url}/webhook-waiting${path}`);
		for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
		url.searchParams.set(
			'signature',
			core.generateUrlSignature(core.prepareUrlForSigning(url), secret()),
		);
		return url.href;
	}

	/** Runs it until it ends or waits. */
	async start(): Promise<WorkflowRun> {
		return this.settled(await runWorkflow(this.options));
	}

	/** Resolves when it has resumed, and then ended or waits again. */
	async goneOn(): Promise<WorkflowRun> {
		return await new Promise((resolve) => {
			this.finish = resolve;
		});
	}

	/**
	 * Resumes only after this many webhook calls have returned. Until then, all of them find it
	 * waiting: n8n 1 accepts calls until the rest of the workflow has started.
	 */
	goOnAfter(calls: number): void {
		this.callsNeeded = calls;
	}

	/** Lets its waiting time pass. */
	async timeOut(): Promise<WorkflowRun> {
		return await this.goOn(JSON.parse(this.stored ?? '{}') as IRunExecutionData);
	}

	async close(): Promise<void> {
		await this.server.close();
	}

	private async enoughCalls(): Promise<void> {
		this.calls += 1;
		if (this.calls < this.callsNeeded) {
			await new Promise<void>((resolve) => this.held.push(resolve));
		}
		for (const goOn of this.held.splice(0)) goOn();
	}

	private settled(outcome: WorkflowRun): WorkflowRun {
		this.stored = outcome.status === 'waiting' ? JSON.stringify(outcome.run.data) : undefined;
		return outcome;
	}

	private async goOn(data: IRunExecutionData): Promise<WorkflowRun> {
		const { workflow, additionalData, finished } = await prepareRun(this.options);
		const execute = new core.WorkflowExecute(additionalData, 'manual', data);
		return this.settled(outcomeOf(await execute.processRunExecutionData(workflow), finished));
	}

	private async receive(request: WebhookRequest, response: WebhookResponse): Promise<void> {
		if (!isSigned(request)) return response.status(401).json({ message: 'Invalid token' });
		if (this.stored === undefined) return response.end('No action required');
		const data = JSON.parse(this.stored) as IRunExecutionData;
		const name = data.resultData.lastNodeExecuted ?? '';
		const prepared = await prepareRun(this.options);
		const result = await callWebhook(prepared, name, request, response, data);
		await this.enoughCalls();
		if (result.workflowData) {
			const [entry] = data.executionData?.nodeExecutionStack ?? [];
			if (!entry) throw new Error('The execution has nothing to go on with');
			// As in n8n: the node is skipped, and the webhook's result is its output.
			entry.node.disabled = true;
			entry.data = { main: result.workflowData };
			delete data.waitTill;
			data.resultData.runData[name]?.pop();
			this.stored = undefined;
			const goneOn = this.goOn(data);
			answerFor(result, response);
			this.finish(await goneOn);
			return;
		}
		answerFor(result, response);
	}
}
