import type { HistoryDelivery } from '../../../src/contract/console/history.ts';
import { fullTime } from '../../device/relative-time.ts';

/**
 * When it arrived, how it was sent or why it failed, what may have delayed it (a late hand-over, failed attempts), and
 * whether the phone was quiet.
 */
export function deliveryDetail({
	state,
	error,
	advice,
	attempts,
	acknowledged_at: received,
	handed_over_at: handedOver,
	held_back: isHeld,
}: HistoryDelivery): string {
	const at = received ?? handedOver;
	const facts = [
		isHeld && state !== 'held_back' && 'held back',
		at !== null && fullTime(at),
		// The time of arrival is followed by how it was sent.
		error,
		received !== null && handedOver !== null && `handed over ${fullTime(handedOver)}`,
		attempts > 0 && `${attempts} failed ${attempts === 1 ? 'attempt' : 'attempts'}`,
	];
	const detail = facts.filter(Boolean).join(', ');
	return [detail, state !== 'received' && advice].filter(Boolean).join('. ');
}
