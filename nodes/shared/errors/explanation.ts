import type { Failure } from 'n8n-workflow';

import { adviceFor, BASE_URL_ADVICE } from './advice';
import {
	isObject,
	isRateRefusal,
	readHeader,
	refusalIn,
	type Answer,
	type Headers,
} from '../../../src/rules/answer';
import { UNKNOWN_OUTCOME, withoutSecrets } from '../../../src/n8n/connection-failure';
import { retryAfterHeader } from '../../../src/rules/rate-limit-headers';
import { toSentences, type Issue } from '../fields/issues';

/** The texts for an answer that is not a success, shared by the node and the credential test. */
export interface Explanation {
	message: string;
	/** The advice, and the HTTP status. */
	description: string;
	/** The cause of the failure, for n8n; undefined if n8n has no word for it. */
	failure: Failure | undefined;
}

const isIssue = (issue: unknown): issue is Issue =>
	isObject(issue) && typeof issue['path'] === 'string' && typeof issue['message'] === 'string';

/**
 * What a refusal says about fields: the broken rules beside its message, or the message itself if it begins with a
 * field, as in `target.channels does not match any channel of this account: ops.`
 */
export function issuesIn(answer: Answer): Issue[] {
	const refusal = refusalIn(answer);
	const issues: unknown = refusal?.['issues'];
	if (Array.isArray(issues) && issues.some(isIssue)) return issues.filter(isIssue);
	const [, path, message] = /^([a-z][\w.[\]]*) (.*)\.$/s.exec(refusal?.message ?? '') ?? [];
	return path !== undefined && message !== undefined ? [{ path, message }] : [];
}

/** The first sentence says what is wrong; what follows is advice. */
const withoutAdvice = (words: string) => words.replace(/(?<=[.!?])\s.*/s, '');

/**
 * The service's own words, and one piece of advice: ours, which knows n8n, or else the service's.
 * @param issues broken rules of fields, with the fields' names in the panel
 * @param whenNotFound the operation's own advice for a 404
 */
export function explainRefusal(
	answer: Answer,
	issues: readonly Issue[] = [],
	whenNotFound?: string,
): Explanation {
	const refusal = refusalIn(answer);
	if (!refusal) return explainForeign(answer);
	const { error, message = error } = refusal;
	const words = issues.length > 0 ? toSentences(issues) : message;
	const advice = adviceFor(answer, refusal, whenNotFound);
	return {
		message: advice === undefined ? words : withoutAdvice(words),
		description: [advice, `(HTTP ${answer.status}: ${error})`].filter(Boolean).join(' '),
		failure: toFailure(answer),
	};
}

/** A proxy's error page, another service, or the server's own pages instead of its API. */
export function explainForeign({ status, headers }: Answer): Explanation {
	if (status >= 502 && status <= 504) {
		return {
			message: `The Beckon server did not answer: HTTP ${status} from a proxy in front of it`,
			description: UNKNOWN_OUTCOME,
			failure: { cause: 'temporarily-unavailable' },
		};
	}
	return {
		message: `This does not look like a Beckon server: HTTP ${status}, and not in Beckon’s format`,
		description: redirectAdvice(status, headers) ?? BASE_URL_ADVICE,
		failure: { cause: 'configuration-invalid' },
	};
}

/** A 404 may also mean that there is nothing to end, so it gives no cause. */
function toFailure(answer: Answer): Failure | undefined {
	const { status, headers } = answer;
	if (status === 401) return { cause: 'credential-invalid' };
	if (status === 403) return { cause: 'configuration-invalid' };
	const isRate = isRateRefusal(answer);
	if (!isRate && status < 500) return undefined;
	const seconds = retryAfterHeader(headers, Date.now());
	return {
		cause: isRate ? 'rate-limited' : 'temporarily-unavailable',
		...(seconds !== undefined && { retryAfterMs: seconds * 1000 }),
	};
}

function redirectAdvice(status: number, headers: Headers): string | undefined {
	const location = readHeader(headers, 'location');
	if (status < 300 || status >= 400 || location === undefined) return undefined;
	return `It redirects to ${withoutSecrets(location)}. Put that address into the Base URL of the Beckon API credential, up to /api`;
}
