import { inPhones } from '../channel-words.ts';

/** The parts of the responses that are worth a sentence. */
interface Sent {
	operation?: string;
	devices_notified?: number;
}

const OPERATIONS: Record<string, string> = {
	started: 'Started',
	updated: 'Updated',
	rotated: 'Restarted',
	ended: 'Ended',
	noop: 'Nothing had changed',
	paused: 'Stored: the Live Activity is paused',
};

/** For example "Started on 2 phones". */
export function toResult(response: Sent): string {
	const { operation, devices_notified: phones } = response;
	const did = operation === undefined ? undefined : (OPERATIONS[operation] ?? operation);
	if (phones === undefined || operation === 'noop' || operation === 'paused') return did ?? 'Done';
	return `${did === undefined ? 'Sent to' : `${did} on`} ${inPhones(phones)}`;
}
