import { z } from 'zod';
import {
	badRequestError,
	billingBlockedError,
	forbiddenError,
	liveActivityLimitError,
	noRecipientsError,
	notFoundError,
	rateLimitError,
	requestError,
	unauthorizedError,
} from '../../contract/errors.ts';

/** Answers any endpoint can give, by status. */
export const commonAnswers = {
	400: badRequestError,
	401: unauthorizedError,
	413: requestError,
	415: requestError,
	429: rateLimitError,
	500: requestError,
	503: requestError,
};

/** Answers of the endpoints that change something which must exist. */
export const changingAnswers = {
	...commonAnswers,
	403: forbiddenError,
	404: notFoundError,
};

/** Answers of the endpoints that send to an audience. */
export const sendingAnswers = {
	...commonAnswers,
	402: billingBlockedError,
	403: forbiddenError,
	422: noRecipientsError,
};

/** 429 of the endpoints that start an activity: request rate or device capacity. */
export const rateOrCapacity = z.union([rateLimitError, liveActivityLimitError]);
