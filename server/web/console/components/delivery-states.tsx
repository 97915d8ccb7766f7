import { Badge, Group, Text } from '@mantine/core';
import {
	DELIVERY_STATE_NAMES,
	DELIVERY_STATES,
	type DeliveryState,
	type PhonesByState,
} from '../../../src/contract/delivery-states.ts';

/** Green is only for deliveries acknowledged by the phone itself. */
const COLORS: Record<DeliveryState, string> = {
	pending: 'yellow',
	stored: 'gray',
	muted: 'orange',
	held_back: 'orange',
	handed_over: 'blue',
	received: 'green',
	failed: 'red',
	expired: 'gray',
	superseded: 'gray',
};

const CLASSES: Partial<Record<DeliveryState, string>> = { received: 'good', failed: 'bad' };

export function stateClass(state: DeliveryState): string | undefined {
	return CLASSES[state];
}

export function StateBadge({ state }: { state: DeliveryState }) {
	return (
		<Badge className="badge" variant="light" color={COLORS[state]}>
			{DELIVERY_STATES[state]}
		</Badge>
	);
}

/** The number of phones in each state. */
export function PhoneCounts({ phones }: { phones: PhonesByState }) {
	const states = DELIVERY_STATE_NAMES.filter((state) => phones[state] > 0);
	if (states.length === 0) return <Text size="sm">None</Text>;
	return (
		<Group gap="2px 8px">
			{states.map((state) => (
				<Text key={state} size="sm" className={stateClass(state)}>
					{phones[state]} {DELIVERY_STATES[state]}
				</Text>
			))}
		</Group>
	);
}
