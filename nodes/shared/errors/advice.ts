import { isCapacityRefusal, isObject, type Answer, type Refusal } from '../../../src/rules/answer';

/** The published API answers 404 or 422 if there are no recipients, and names the channels tried. */
function isNoRecipients({ status }: Answer, refusal: Refusal): boolean {
	return (
		(status === 404 || status === 422) && 'effective_channel_slugs' in refusal && !refusal['code']
	);
}

const OF_STATUS: Readonly<Record<number, string>> = {
	401: 'Check the API key in the Beckon API credential: it may be mistyped or revoked.',
	403: 'This API key may not do that. Choose channels that the key is assigned to, or use another key in the Beckon API credential.',
	413: 'Shorten the message, the payload or the metadata: a request may be at most 64 KiB.',
	502: 'Some phones may have been reached already. Setting the same again does no harm.',
};

/**
 * Advice on a refusal, in addition to the service's own words.
 * @param whenNotFound the operation's own advice for a 404
 */
export function adviceFor(
	answer: Answer,
	refusal: Refusal,
	whenNotFound?: string,
): string | undefined {
	if (isNoRecipients(answer, refusal)) {
		return 'Pair a phone on the server, or check the channels under Options and those of the API key.';
	}
	if (isCapacityRefusal(answer)) {
		const { limit, active } = refusal as unknown as Record<string, number>;
		return `A phone shows ${limit} Live Activities at most, and ${active} are running. Waiting does not help, so this was not tried again: end one first.`;
	}
	if (refusal['code'] === 'badge_device_disconnected') {
		return 'Open Beckon on the phone once, so that it connects again.';
	}
	if (answer.status === 402 && typeof refusal['upgrade_url'] === 'string') {
		return `Continue at ${refusal['upgrade_url']}`;
	}
	if (answer.status === 404) {
		return isUnknownPath(refusal) ? BASE_URL_ADVICE : whenNotFound;
	}
	if (answer.status >= 500 && answer.status !== 502)
		return 'The service had a problem. Try again later.';
	return OF_STATUS[answer.status];
}

/** True for the service's answer to a path that it does not serve, as opposed to an unknown resource. */
export function isUnknownPath({ error }: Refusal): boolean {
	return error.toLowerCase() === 'not found';
}

export const BASE_URL_ADVICE =
	'Check the Base URL in the Beckon API credential. It ends with /api, like http://localhost:8787/api';

/** The individual broken rules, if the service lists them beside its message. */
export function issuesIn(refusal: Refusal): string[] {
	const issues = refusal['issues'];
	if (!Array.isArray(issues)) return [];
	return issues
		.filter(isObject)
		.map(({ path, message }) =>
			[path, message].filter((text) => typeof text === 'string').join(' '),
		)
		.filter((text) => text !== '' && !refusal.message?.includes(text));
}
