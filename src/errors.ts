import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';

import { adviceFor, BASE_URL_ADVICE, issuesIn } from './advice';
import { headerOf, isObject, refusalIn, type Answer, type Headers } from './answer';
import { WaitCancelled } from './cancellation';
import { connectionFailure, UNKNOWN_OUTCOME } from './connection-failure';
import { InvalidRequest } from './issues';
import { AllowanceUsedUp } from './pacing/allowance-used-up';

/** The service answered, and not with a success. */
export class Refused extends Error {
	readonly answer: Answer;

	/** The operation's advice for a 404. */
	readonly whenNotFound: string | undefined;

	constructor(answer: Answer, whenNotFound?: string) {
		super(`Refused with HTTP status ${answer.status}`);
		this.answer = answer;
		this.whenNotFound = whenNotFound;
	}
}

export interface ErrorContext {
	node: INode;
	itemIndex: number;
	baseUrl: string;
	/** Whether the other items are sent where this one is invalid. */
	sendsOthers?: boolean;
}

export type NodeFailure = NodeApiError | NodeOperationError;

/**
 * The error that the user sees: the service's own words as its message, what to do as its
 * description, the item and the HTTP status. Built from plain values only, so that neither the key
 * nor the request gets into the execution's data.
 */
export function nodeErrorOf(error: unknown, context: ErrorContext): NodeFailure {
	if (error instanceof NodeOperationError) return error;
	// n8n's request helper throws a NodeApiError around whatever its HTTP client threw.
	if (error instanceof NodeApiError) return unreachable(error, context);
	if (error instanceof Refused) return refused(error, context);
	if (error instanceof AllowanceUsedUp) return allowanceUsedUp(error, context);
	if (error instanceof InvalidRequest) {
		const which = context.sendsOthers ? 'this' : 'any';
		return operationError(
			context,
			error.message,
			`Found before sending: nothing was sent for ${which} item.`,
		);
	}
	if (error instanceof WaitCancelled) return operationError(context, error.message);
	return new NodeOperationError(context.node, error instanceof Error ? error : String(error), {
		itemIndex: context.itemIndex,
	});
}

function unreachable(error: NodeApiError, context: ErrorContext): NodeFailure {
	const failure = connectionFailure(error, context.baseUrl);
	if (!failure) return operationError(context, error.message, error.description);
	const { code, message, advice } = failure;
	if (code === 'ERR_CANCELED') {
		return operationError(context, 'The execution was canceled before the service answered');
	}
	return apiError(context, { code }, { message, description: advice });
}

function refused({ answer, whenNotFound }: Refused, context: ErrorContext): NodeApiError {
	const refusal = refusalIn(answer);
	if (!refusal) return notBeckon(answer, context);
	const { error, message = error } = refusal;
	const advice = adviceFor(answer, refusal, whenNotFound);
	return apiError(context, isObject(answer.body) ? answer.body : {}, {
		message,
		description: [...issuesIn(refusal), advice, `(HTTP ${answer.status}: ${error})`]
			.filter((text) => text !== undefined)
			.join(' '),
		httpCode: String(answer.status),
	});
}

/** A proxy's error page, another service, or the server's own pages instead of its API. */
function notBeckon({ status, headers }: Answer, context: ErrorContext): NodeApiError {
	const httpCode = String(status);
	if (status >= 502 && status <= 504) {
		const message = `The Beckon server did not answer: HTTP ${status} from a proxy before it`;
		return apiError(context, {}, { message, description: UNKNOWN_OUTCOME, httpCode });
	}
	const message = `This does not look like a Beckon server: HTTP ${status}, and not in its form`;
	const description = redirectAdvice(status, headers) ?? BASE_URL_ADVICE;
	return apiError(context, {}, { message, description, httpCode });
}

function redirectAdvice(status: number, headers: Headers): string | undefined {
	const location = headerOf(headers, 'location');
	if (status < 300 || status >= 400 || location === undefined) return undefined;
	return `It redirects to ${location}. Put that address into the Base URL of the Beckon API credential, up to /api`;
}

function allowanceUsedUp(error: AllowanceUsedUp, context: ErrorContext): NodeApiError {
	const { answer, returnsIn, returnsAt } = error;
	const refusal = answer && refusalIn(answer);
	const seconds = Math.ceil(returnsIn / 1000);
	return apiError(context, refusal ?? {}, {
		message: refusal?.message ?? refusal?.error ?? error.message,
		description: `The allowance returns in ${seconds} seconds, at ${returnsAt.toISOString()}. That is beyond the Longest Wait of this node, so nothing was sent for this item: raise it under Options, or send less often. (HTTP 429)`,
		httpCode: '429',
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
	texts: { message: string; description: string; httpCode?: string },
): NodeApiError {
	const error = new NodeApiError(node, response as JsonObject, { ...texts, itemIndex });
	// n8n replaces messages that happen to contain the name of a system error, such as ENOENT.
	error.message = texts.message;
	return error;
}
