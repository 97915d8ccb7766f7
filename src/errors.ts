import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';

import { adviceFor, BASE_URL_ADVICE, issuesIn } from './advice';
import { headerOf, isObject, refusalIn, type Answer } from './answer';
import { AllowanceUsedUp } from './backoff';
import { connectionFailure } from './connection-failure';
import { InvalidRequest } from './issues';
import { WaitCancelled } from './wait';

/** The service answered, and not with a success. */
export class Refused extends Error {
	readonly answer: Answer;

	constructor(answer: Answer) {
		super(`Refused with HTTP status ${answer.status}`);
		this.answer = answer;
	}
}

export interface ErrorContext {
	node: INode;
	itemIndex: number;
	baseUrl: string;
	/** The operation's advice for a 404. */
	whenNotFound?: string | undefined;
}

type NodeFailure = NodeApiError | NodeOperationError;

/**
 * The error that the user sees: the service's own words as its message, what to do as its
 * description, the item and the HTTP status. Built from plain values only, so that neither the key
 * nor the request gets into the execution's data.
 */
export function nodeErrorOf(error: unknown, context: ErrorContext): NodeFailure {
	if (error instanceof NodeOperationError) return error;
	// n8n's request helper throws a NodeApiError around whatever its HTTP client threw.
	if (error instanceof NodeApiError) return unreachable(error, context);
	if (error instanceof Refused) return refused(error.answer, context);
	if (error instanceof AllowanceUsedUp) return allowanceUsedUp(error, context);
	if (error instanceof InvalidRequest) {
		return new NodeOperationError(context.node, error.message, {
			itemIndex: context.itemIndex,
			description: 'Found before sending: nothing was sent for this item.',
		});
	}
	if (error instanceof WaitCancelled) {
		return new NodeOperationError(context.node, error.message, { itemIndex: context.itemIndex });
	}
	return new NodeOperationError(context.node, error instanceof Error ? error : String(error), {
		itemIndex: context.itemIndex,
	});
}

function unreachable(error: NodeApiError, context: ErrorContext): NodeFailure {
	const failure = connectionFailure(error, context.baseUrl);
	if (!failure) {
		const { message, description } = error;
		return new NodeOperationError(context.node, message, {
			itemIndex: context.itemIndex,
			...(description && { description }),
		});
	}
	const { code, message, advice } = failure;
	return apiError(context, { code }, { message, description: advice });
}

function refused(answer: Answer, context: ErrorContext): NodeApiError {
	const refusal = refusalIn(answer);
	if (!refusal) return notBeckon(answer, context);
	const { error, message } = refusal;
	const advice = adviceFor(answer, refusal, context.whenNotFound);
	return apiError(context, isObject(answer.body) ? answer.body : {}, {
		message: message ?? error,
		description: [...issuesIn(refusal), advice, `(HTTP ${answer.status}: ${error})`]
			.filter((text) => text !== undefined)
			.join(' '),
		httpCode: String(answer.status),
	});
}

/** A proxy's error page, another service, or the server's own pages instead of its API. */
function notBeckon(answer: Answer, context: ErrorContext): NodeApiError {
	const location = headerOf(answer.headers, 'location');
	return apiError(
		context,
		{},
		{
			message: `This does not look like a Beckon server: HTTP ${answer.status}, and not in its form`,
			description:
				answer.status >= 300 && answer.status < 400 && location !== undefined
					? `It redirects to ${location}. Put that address into the Base URL of the Beckon API credential, up to /api`
					: BASE_URL_ADVICE,
			httpCode: String(answer.status),
		},
	);
}

function allowanceUsedUp(
	{ answer, returnsIn, returnsAt }: AllowanceUsedUp,
	context: ErrorContext,
): NodeApiError {
	const refusal = refusalIn(answer);
	const seconds = Math.ceil(returnsIn / 1000);
	return apiError(context, refusal ?? {}, {
		message: refusal?.message ?? refusal?.error ?? 'Too many requests',
		description: `The allowance returns in ${seconds} seconds, at ${returnsAt.toISOString()}. That is beyond the Longest Wait of this node: raise it under Options, or send less often. (HTTP 429)`,
		httpCode: '429',
	});
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
