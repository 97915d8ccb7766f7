import { createHash } from 'node:crypto';

import { randomString, type IExecuteFunctions } from 'n8n-workflow';

import { isPush, type BeckonCall, type UploadCall } from '../rules/call';
import { isOwnRun } from './run';

const UNIQUE_LENGTH = 32;

/**
 * Makes the idempotency keys of a node's requests (docs/api-decisions.md "Idempotency keys"). An execution that n8n
 * starts again after a crash sends the same ones. Whatever may rightly send the same text again has keys of its own:
 * another instance, execution, node, run or item, and each call of a tool by an agent.
 * The returned function gives undefined for a call without a key.
 */
export function createKeys(context: IExecuteFunctions) {
	const executionId = context.getExecutionId() as string | undefined;
	const sender =
		executionId !== undefined && isOwnRun(context)
			? [
					context.getInstanceId(),
					context.getWorkflow().id,
					executionId,
					context.getNode().id,
					context.getWorkflowDataProxy(0)['$runIndex'] as number,
				]
			: [randomString(UNIQUE_LENGTH)];
	return (itemIndex: number, call: BeckonCall | UploadCall) => {
		if (!isPush(call)) return undefined;
		const { path, body } = call;
		const content = JSON.stringify([sender, itemIndex, path, body]);
		return createHash('sha256').update(content).digest('base64url');
	};
}
