import { Badge, Group, Text, UnstyledButton } from '@mantine/core';
import {
	DELIVERY_STATE_NAMES,
	DELIVERY_STATES,
	type DeliveryState,
	type PhonesByState,
} from '../../../src/contract/delivery-states.ts';
import { useData } from '../hooks/use-data.ts';
import { numberText } from '../locale.ts';

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

export const STATE_CLASSES: Partial<Record<DeliveryState, string>> = {
	received: 'good',
	failed: 'bad',
};

export function StateBadge({ state }: { state: DeliveryState }) {
	return (
		<Badge className="badge" variant="light" color={COLORS[state]}>
			{DELIVERY_STATES[state]}
		</Badge>
	);
}

interface PhoneStatesProps {
	phones: PhonesByState;
	/** The only state shown below. */
	chosen?: string;
	/** Takes the state that a person chooses, or an empty text for all of them. */
	onChoose?: (state: string) => void;
}

/** How the phones fared: a bar, and the number of phones in each state. */
export function PhoneStates({ phones, chosen, onChoose }: PhoneStatesProps) {
	const states = DELIVERY_STATE_NAMES.filter((state) => phones[state] > 0);
	if (states.length === 0) return <Text size="sm">None</Text>;
	return (
		<div className="phone-states">
			<div className="state-bar" aria-hidden="true">
				{states.map((state) => (
					<span key={state} data-color={COLORS[state]} style={{ flexGrow: phones[state] }} />
				))}
			</div>
			<Group gap="2px 8px">
				{states.map((state) => {
					const words = `${numberText(phones[state])} ${DELIVERY_STATES[state]}`;
					const look = { size: 'sm', className: STATE_CLASSES[state] ?? '' };
					if (!onChoose) return <Text key={state} {...look} children={words} />;
					return (
						<UnstyledButton
							key={state}
							className="state-choice"
							aria-pressed={state === chosen}
							onClick={() => onChoose(state === chosen ? '' : state)}
						>
							<Text span {...look} children={words} />
						</UnstyledButton>
					);
				})}
			</Group>
		</div>
	);
}

/** The same for a history entry, updated while its phones receive it. */
export function EntryStates({ id }: { id: string }) {
	const { data } = useData('GET /history/:id', id);
	return data && <PhoneStates phones={data.phones} />;
}
