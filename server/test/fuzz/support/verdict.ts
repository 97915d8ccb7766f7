import type { z } from 'zod';
import {
	acknowledgeResponse,
	inbox,
	pairResponse,
	snapshot,
	success,
	tapResponse,
	webPushKey,
} from '../../../src/contract/device.ts';
import { PAGE_NOT_FOUND } from '../../../src/http/not-found.ts';
import { createAnswerCheck, type OpenApi } from '../../support/openapi.ts';
import type { FuzzRequest } from './requests.ts';
import type { WireAnswer } from './wire.ts';

/** 200 answers of the device protocol, by method and template. */
const DEVICE_ANSWERS: Record<string, z.ZodType> = {
	'POST /device/pair': pairResponse,
	'GET /device/snapshot': snapshot,
	'GET /device/inbox': inbox,
	'POST /device/acknowledge': acknowledgeResponse,
	'POST /device/taps': tapResponse,
	'GET /device/web-push-key': webPushKey,
	'POST /device/dismissals': success,
	'PUT /device/tokens': success,
};

/** Text that a program never sends on purpose. */
const SLIPS = /\[object Object\]|\bundefined\b|\bat [\w.<>]+ \(|node:internal|<html/i;

/** Routes that programs call, whatever they accept. */
const CALLED =
	/^\/(api|device|console\/api|images|ntfy|gotify|alertmanager|grafana|agent-hook|mcp)(\/|$)/;

/** Answered before there is a request, so no route declares them. */
const BEFORE_ROUTES = new Set([408, 431]);

/** @returns the body parsed as JSON; undefined if it is missing or something else */
export function jsonOf({ headers, body }: WireAnswer): unknown {
	if (body.length === 0 || !headers.get('content-type')?.startsWith('application/json'))
		return undefined;
	return JSON.parse(body.toString('utf8')) as unknown;
}

/** @throws if no client could expect this answer, whatever it asked */
export function checkAnyAnswer(answer: WireAnswer, method: string): void {
	const { status, body } = answer;
	const content = jsonOf(answer);
	if (status >= 500 && !isFailedBadge(status, content)) throw new Error(`The status is ${status}`);
	if (status < 400 || method === 'HEAD' || isPageNotFound(answer)) return;
	for (const text of wordsIn(content)) {
		if (typeof text !== 'string' || text === '')
			throw new Error(`The error lacks its words: ${body.toString('utf8')}`);
		if (SLIPS.test(text)) throw new Error(`The error's words are a slip: ${text}`);
	}
}

/** Browsers get a page where an address leads nowhere. */
function isPageNotFound({ status, body }: WireAnswer): boolean {
	return status === 404 && body.toString('utf8') === PAGE_NOT_FOUND;
}

/** The words of an error: our own two, or those of the formats in docs/senders.md, or of JSON-RPC 2.0 at /mcp. */
function wordsIn(content: unknown): unknown[] {
	const { http, jsonrpc, error, message, errorDescription } = (content ?? {}) as Record<
		string,
		unknown
	>;
	if (jsonrpc !== undefined) return [(error as { message?: unknown } | undefined)?.message];
	return http === undefined ? [error, message ?? errorDescription] : [error];
}

/**
 * A badge that no gateway took (docs/api-decisions.md "Recipients and counts"). The phones here have push services that
 * refuse.
 */
function isFailedBadge(status: number, content: unknown): boolean {
	return (
		status === 502 && (content as { code?: unknown } | undefined)?.code === 'badge_update_failed'
	);
}

/** Checks an answer against its route's schema, if there is one. */
export function createVerdict(
	openApi: OpenApi,
): (request: FuzzRequest, answer: WireAnswer) => void {
	const checkPublic = createAnswerCheck(openApi);
	return ({ route, method, path }, answer) => {
		checkAnyAnswer(answer, method);
		if (CALLED.test(route.url) && isPageNotFound(answer))
			throw new Error('A program gets the page for people');
		if (BEFORE_ROUTES.has(answer.status) || method !== route.method) return;
		if (route.url.startsWith('/api/')) {
			checkPublic(method, path.replace(/^\/api/, ''), {
				status: answer.status,
				body: jsonOf(answer),
			});
		}
		if (answer.status !== 200) return;
		const parsed = DEVICE_ANSWERS[`${method} ${route.url}`]?.safeParse(jsonOf(answer));
		if (parsed?.error)
			throw new Error(`The answer is not what the protocol says: ${parsed.error.message}`);
	};
}
