import type { Failure } from 'n8n-workflow';

import { adviceFor, BASE_URL_ADVICE, issuesIn } from './advice';
import {
	isRateRefusal,
	readHeader,
	refusalIn,
	type Answer,
	type Headers,
} from '../../../src/rules/answer';
import { UNKNOWN_OUTCOME } from '../../../src/n8n/connection-failure';
import { retryAfterHeader } from '../../../src/rules/rate-limit-headers';

/** The texts for an answer that is not a success, shared by the node and the credential test. */
export interface Explanation {
	message: string;
	/** The advice, and the HTTP status. */
	description: string;
	/** The cause of the failure, for n8n; undefined if n8n has no word for it. */
	failure: Failure | undefined;
}

/**
 * The service's own words, and the advice.
 * @param whenNotFound the operation's own advice for a 404
 */
export function explainRefusal(answer: Answer, whenNotFound?: string): Explanation {
	const refusal = refusalIn(answer);
	if (!refusal) return explainForeign(answer);
	const { error, message = error } = refusal;
	const advice = adviceFor(answer, refusal, whenNotFound);
	return {
		message,
		description: [...issuesIn(refusal), advice, `(HTTP ${answer.status}: ${error})`]
			.filter((text) => text !== undefined)
			.join(' '),
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

/** A 404 may also mean that there is nothing to end, so it declares nothing. */
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
	return `It redirects to ${location}. Put that address into the Base URL of the Beckon API credential, up to /api`;
}
