import { digestKey } from './digest';
import { Pacer } from './pacer';

/** A feature with its own allowance (docs/api-decisions.md "Rate limits"). */
export type Feature = 'notifications' | 'badges' | 'live-activities' | 'metrics' | 'images';

/** The number of pacers kept before unused ones are dropped. */
const MAX_PACERS = 256;

/** The pacers of this n8n process, the most recently requested last. */
const pacers = new Map<string, Pacer>();

/**
 * The pacer of an allowance, shared by all requests for the same base URL, key and feature, whatever
 * the node, the workflow or the execution.
 */
export function pacerFor(baseUrl: string, apiKey: string, feature: Feature): Pacer {
	const name = `${feature} ${digestKey(apiKey)} ${baseUrl}`;
	const pacer = pacers.get(name) ?? new Pacer();
	pacers.delete(name);
	pacers.set(name, pacer);
	dropUnused();
	return pacer;
}

function dropUnused(): void {
	if (pacers.size <= MAX_PACERS) return;
	for (const [name, pacer] of pacers) {
		if (!pacer.isBusy) pacers.delete(name);
		if (pacers.size <= MAX_PACERS / 2) return;
	}
}
