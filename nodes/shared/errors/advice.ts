import { isCapacityRefusal, type Answer, type Refusal } from '../../../src/rules/answer';

/** The published API answers 404 or 422 if there are no recipients, and names the channels tried. */
function isNoRecipients({ status }: Answer, refusal: Refusal): boolean {
	const namesChannels = 'effective_channel_slugs' in refusal;
	return (status === 404 || status === 422) && namesChannels && !refusal['code'];
}

const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
	401: 'Check the API Key in the Beckon API credential.',
	403: 'Choose channels that the key is assigned to or a phone in them, or use another key in the Beckon API credential.',
	413: 'Shorten the message, the payload or the metadata.',
};

/**
 * Advice on a refusal that the service cannot give, because it does not know n8n.
 * @param whenNotFound the operation's own advice for a 404
 */
export function adviceFor(
	answer: Answer,
	refusal: Refusal,
	whenNotFound?: string,
): string | undefined {
	if (isNoRecipients(answer, refusal)) {
		return 'Pair a phone on the server, or check the recipients (Send To) and the channels of the API key.';
	}
	if (isCapacityRefusal(answer)) {
		return `A phone shows ${String(refusal['limit'])} Live Activities at most. Waiting does not help, so this was not tried again: end one first.`;
	}
	if (answer.status === 402 && typeof refusal['upgrade_url'] === 'string') {
		return `Continue at ${refusal['upgrade_url']}`;
	}
	if (answer.status === 404) return isUnknownPath(refusal) ? BASE_URL_ADVICE : whenNotFound;
	return ADVICE_BY_STATUS[answer.status];
}

/** True for the service's answer to a path that it does not serve, as opposed to an unknown resource. */
export function isUnknownPath({ error }: Refusal): boolean {
	return error.toLowerCase() === 'not found';
}

export const BASE_URL_ADVICE =
	'Check the Base URL in the Beckon API credential. It ends with /api, like http://localhost:8787/api';
