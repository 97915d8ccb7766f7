import type { INodeTypeDescription } from 'n8n-workflow';

/** Settings of every request to the service, by n8n's names: a node declares them as `requestDefaults`. */
export const REQUEST_DEFAULTS = {
	json: true,
	// A redirect would turn a POST into a GET, and could carry the key to another host.
	disableFollowRedirect: true,
	// A refusal is an answer too: it has words for the user.
	ignoreHttpStatusErrors: true,
} as const satisfies INodeTypeDescription['requestDefaults'];
