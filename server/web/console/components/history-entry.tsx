import { Button, Code, Loader, Modal, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type {
	HistoryDetail,
	HistoryMessage,
	HistoryTap,
} from '../../../src/contract/console/history.ts';
import type { Notification, ShownActivity } from '../../../src/contract/shown.ts';
import { fullTime } from '../../phone/relative-time.ts';
import { channelWords } from '../channel-words.ts';
import { useData } from '../hooks/use-data.ts';
import { Problem } from './page.tsx';
import { deliveryDetail } from './delivery-detail.ts';
import { StateBadge } from './delivery-states.tsx';
import { ActivityPreview, NotificationPreview } from './lock-screen-preview.tsx';

const STEPS: Record<string, string> = {
	push: 'Sent',
	push_update: 'Answered',
	badge: 'Set',
	activity_start: 'Started',
	activity_update: 'Updated',
	activity_end: 'Ended',
};

/** One entry from start to end: each message, and its delivery to each phone. */
export function HistoryEntryDialog({ id, onClose }: { id: string; onClose: () => void }) {
	const [before, setBefore] = useState('');
	const { data, error } = useData('GET /history/:id', id, before === '' ? {} : { before });
	return (
		<Modal
			opened
			size="lg"
			onClose={onClose}
			title={data?.title ?? 'History'}
			closeButtonProps={{ 'aria-label': 'Close' }}
		>
			<Problem message={error} />
			{data ? <Detail entry={data} /> : <Loader aria-label="Loading" />}
			{data && (before !== '' || data.earlier !== null) && (
				<nav className="pager" aria-label="Parts of the deliveries">
					{before !== '' && (
						<Button variant="default" onClick={() => setBefore('')}>
							Newest
						</Button>
					)}
					{data.earlier !== null && (
						<Button variant="default" onClick={() => setBefore(data.earlier ?? '')}>
							Earlier
						</Button>
					)}
				</nav>
			)}
		</Modal>
	);
}

function Detail({ entry }: { entry: HistoryDetail }) {
	const last = entry.lifecycle.at(-1);
	return (
		<Stack>
			{last && (
				<div className="is-whole">
					<Shown message={last} />
				</div>
			)}
			<dl className="facts">
				<dt>Sent by</dt>
				<dd>{entry.key?.name ?? 'Console'}</dd>
				<dt>Channels</dt>
				<dd>{channelWords(entry.channels, 'Every phone')}</dd>
				<dt>Tags</dt>
				<dd>{entry.tags.join(', ') || 'None'}</dd>
				{entry.ended_at !== null && (
					<>
						<dt>Ended</dt>
						<dd>
							{fullTime(entry.ended_at)}
							{entry.end_reason !== null && ` (${entry.end_reason})`}
						</dd>
					</>
				)}
			</dl>
			{entry.metadata && (
				<Code block className="json">
					{JSON.stringify(entry.metadata, null, 2)}
				</Code>
			)}
			<Taps taps={entry.taps} />
			<ol className="lifecycle">
				{entry.lifecycle.map((message) => (
					<li key={message.id}>
						<Text size="sm" fw={600}>
							{STEPS[message.kind] ?? message.kind} · {fullTime(message.created_at)}
						</Text>
						<Deliveries message={message} />
					</li>
				))}
			</ol>
		</Stack>
	);
}

function Shown({ message }: { message: HistoryMessage }) {
	if (message.kind === 'push' || message.kind === 'push_update')
		return <NotificationPreview push={message.content as Notification} isUnfolded />;
	if (message.kind === 'badge') return <Text>Badge {String(message.content)}</Text>;
	const { activity } = message.content as { activity: ShownActivity };
	return <ActivityPreview activity={activity} clockOffset={0} />;
}

const OUTCOMES: Record<string, string> = {
	open: 'Opened the link',
	called: 'Done',
	unclear: 'Unclear',
	refused: 'Refused',
	failed: 'Failed',
};

/** The taps: person, button and phone, and the webhook's answer. */
function Taps({ taps }: { taps: HistoryTap[] }) {
	if (taps.length === 0) return null;
	return (
		<Table className="entries" layout="fixed" verticalSpacing={4} aria-label="Taps">
			<Table.Thead>
				<Table.Tr>
					<Table.Th>Tap</Table.Th>
					<Table.Th>Person and phone</Table.Th>
					<Table.Th>Time</Table.Th>
					<Table.Th>Outcome</Table.Th>
				</Table.Tr>
			</Table.Thead>
			<Table.Tbody>
				{taps.map((tap, index) => (
					<Table.Tr key={index}>
						<Table.Td>{tap.button}</Table.Td>
						<Table.Td>
							{tap.user}, {tap.device}
						</Table.Td>
						<Table.Td>{fullTime(tap.at)}</Table.Td>
						<Table.Td>{formatOutcome(tap)}</Table.Td>
					</Table.Tr>
				))}
			</Table.Tbody>
		</Table>
	);
}

function formatOutcome({ outcome, status, message }: HistoryTap): string {
	if (outcome === null) return 'No answer recorded';
	const code = status === null ? '' : ` (${status})`;
	const says = outcome === 'open' || message === 'Done.' ? '' : `: ${message}`;
	return `${OUTCOMES[outcome] ?? outcome}${code}${says}`;
}

function Deliveries({ message }: { message: HistoryMessage }) {
	if (message.deliveries.length === 0)
		return (
			<Text size="sm" c="dimmed">
				No phone received it, or it is waiting for the phone to register.
			</Text>
		);
	return (
		<Table className="entries" layout="fixed" verticalSpacing={4}>
			<Table.Tbody>
				{message.deliveries.map((delivery, index) => (
					<Table.Tr key={index}>
						<Table.Td>{delivery.device}</Table.Td>
						<Table.Td>
							<StateBadge state={delivery.state} />
						</Table.Td>
						<Table.Td>{deliveryDetail(delivery)}</Table.Td>
					</Table.Tr>
				))}
			</Table.Tbody>
		</Table>
	);
}
