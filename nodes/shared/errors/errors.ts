import {
	NodeApiError,
	NodeOperationError,
	type Failure,
	type INode,
	type JsonObject,
} from 'n8n-workflow';

import { refusalIn, type Answer } from '../../../src/rules/answer';
import { WaitCancelled } from '../../../src/rules/cancellation';
import { connectionFailure } from '../../../src/n8n/connection-failure';
import { explainRefusal, issuesIn } from './explanation';
import { InvalidRequest, type Issue } from '../fields/issues';
import { AllowanceUsedUp } from '../../../src/rules/pacing/allowance';

/** The service answered, but not with a success. */
export class Refused extends Error {
	readonly answer: Answer;

	/** The operation's advice for a 404. */
	readonly whenNotFound: string | undefined;

	/** The broken rules of fields; code that knows the panel adds the names there. */
	issues: readonly Issue[];

	constructor(answer: Answer, whenNotFound?: string) {
		super(`Refused with HTTP status ${answer.status}`);
		this.answer = answer;
		this.whenNotFound = whenNotFound;
		this.issues = issuesIn(answer);
	}
}

export interface ErrorContext {
	node: INode;
	itemIndex: number;
	baseUrl: string;
	/** True if the other items are sent even though this one is invalid. */
	sendsOthers?: boolean;
}

export type NodeFailure = NodeApiError | NodeOperationError;

/**
 * The error that the user sees: the service's own words as its message, the advice as its description,
 * the item and the HTTP status. It is built only from plain values, so neither the key nor the request
 * gets into the execution's data.
 */
export function toNodeError(error: unknown, context: ErrorContext): NodeFailure {
	if (error instanceof NodeOperationError) return error;
	// n8n's request helper wraps every error of its HTTP client in a NodeApiError.
	if (error instanceof NodeApiError) return unreachable(error, context);
	if (error instanceof Refused) return refused(error, context);
	if (error instanceof AllowanceUsedUp) return allowanceUsedUp(error, context);
	if (error instanceof InvalidRequest) {
		const which = context.sendsOthers ? 'this' : 'any';
		const effect = `Found before sending: nothing was sent for ${which} item.`;
		return operationError(context, error.message, effect);
	}
	if (error instanceof WaitCancelled) return operationError(context, error.message);
	return new NodeOperationError(context.node, error instanceof Error ? error : String(error), {
		itemIndex: context.itemIndex,
	});
}

function unreachable(error: NodeApiError, context: ErrorContext): NodeFailure {
	const found = connectionFailure(error, context.baseUrl);
	if (!found) return operationError(context, error.message, error.description);
	const { code, message, advice, failure } = found;
	if (code === 'ERR_CANCELED') {
		return operationError(context, 'The execution was canceled before the service answered');
	}
	return apiError(context, { code }, { message, description: advice, failure });
}

function refused({ answer, issues, whenNotFound }: Refused, context: ErrorContext): NodeApiError {
	const { message, description, failure } = explainRefusal(answer, issues, whenNotFound);
	return apiError(context, refusalIn(answer) ?? {}, {
		message,
		description,
		httpCode: String(answer.status),
		...(failure && { failure }),
	});
}

function allowanceUsedUp(error: AllowanceUsedUp, context: ErrorContext): NodeApiError {
	const { answer, returnsIn, returnsAt } = error;
	const refusal = answer && refusalIn(answer);
	const seconds = Math.ceil(returnsIn / 1000);
	const resetsAtEpochMs = returnsAt.getTime();
	return apiError(context, refusal ?? {}, {
		message: refusal?.message ?? refusal?.error ?? error.message,
		description: `The allowance resets in ${seconds} seconds, at ${returnsAt.toISOString()}. That exceeds this node's Longest Wait, so nothing was sent for this item: raise it under Options, or send less often. (HTTP 429)`,
		httpCode: '429',
		failure: { cause: 'rate-limited', retryAfterMs: returnsIn, resetsAtEpochMs },
	});
}

function operationError(
	{ node, itemIndex }: ErrorContext,
	message: string,
	description?: string | null,
): NodeOperationError {
	return new NodeOperationError(node, message, { itemIndex, ...(description && { description }) });
}

function apiError(
	{ node, itemIndex }: ErrorContext,
	response: object,
	texts: { message: string; description: string; httpCode?: string; failure?: Failure },
): NodeApiError {
	// Older versions of n8n ignore the declared failure.
	const error = new NodeApiError(node, response as JsonObject, { ...texts, itemIndex });
	// n8n replaces messages that happen to contain the name of a system error, such as ENOENT.
	error.message = texts.message;
	return error;
}
