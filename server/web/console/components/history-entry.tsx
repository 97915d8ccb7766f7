import { Button, Code, Group, Loader, Modal, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type {
	HistoryDelivery,
	HistoryDetail,
	HistoryMessage,
	HistoryTap,
} from '../../../src/contract/console/history.ts';
import { callbackWords, stepWords, tapOutcome } from '../../../src/contract/history-words.ts';
import type { Notification, ShownActivity } from '../../../src/contract/shown.ts';
import { fullTime } from '../../device/relative-time.ts';
import { channelWords } from '../channel-words.ts';
import { call } from '../api.ts';
import { useAction } from '../hooks/use-action.ts';
import { openInPlayground, toIncoming } from '../playground/incoming.ts';
import { useData } from '../hooks/use-data.ts';
import { Problem } from './page.tsx';
import { deliveryDetail } from './delivery-detail.ts';
import { StateBadge } from './delivery-states.tsx';
import { SendButton } from './dialogs.tsx';
import { ActivityPreview, NotificationPreview } from './lock-screen-preview.tsx';

interface HistoryEntryProps {
	id: string;
	/** Shows another entry in its place. */
	onOpen: (id: string) => void;
	onClose: () => void;
}

/** One entry from start to end: each message, and its delivery to each phone. */
export function HistoryEntryDialog({ id, onOpen, onClose }: HistoryEntryProps) {
	const [before, setBefore] = useState('');
	const open = (other: string) => {
		setBefore('');
		onOpen(other);
	};
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
			{data ? <Detail entry={data} onOpen={open} /> : <Loader aria-label="Loading" />}
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

interface DetailProps {
	entry: HistoryDetail;
	onOpen: (id: string) => void;
}

function Detail({ entry, onOpen }: DetailProps) {
	const last = entry.lifecycle.at(-1);
	const told = entry.question ? callbackWords(entry.question) : undefined;
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
				<dt>Sent to</dt>
				<dd>{channelWords(entry.channels, 'Every phone')}</dd>
				<dt>Tags</dt>
				<dd>{entry.tags.join(', ') || 'None'}</dd>
				<dt>Entry</dt>
				<dd>
					<code>{entry.id}</code>
					{entry.request_id !== null && ` (request ${entry.request_id})`}
				</dd>
				{entry.ended_at !== null && (
					<>
						<dt>Ended</dt>
						<dd>
							{fullTime(entry.ended_at)}
							{entry.end_reason !== null && ` (${entry.end_reason})`}
						</dd>
					</>
				)}
				{told !== undefined && (
					<>
						<dt>Callback</dt>
						<dd>{told}</dd>
					</>
				)}
			</dl>
			<Again entry={entry} onOpen={onOpen} />
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
							{stepWords(message)} · {fullTime(message.created_at)}
						</Text>
						<Deliveries message={message} />
					</li>
				))}
			</ol>
		</Stack>
	);
}

/** The same once more, or changed first. */
function Again({ entry, onOpen }: DetailProps) {
	const send = useAction(() => call('POST /history/:id/send', entry.id));
	const [sent, setSent] = useState<string>();
	const incoming = toIncoming(entry);
	return (
		<>
			<Group gap="xs">
				{entry.again !== null && entry.again > 0 && (
					<SendButton
						variant="light"
						label="Send again"
						phones={entry.again}
						isRunning={send.isRunning}
						onSend={() => void send.run().then((answer) => setSent(answer?.history_id))}
					/>
				)}
				{incoming && (
					<Button variant="default" onClick={() => openInPlayground(incoming)}>
						Open in Playground
					</Button>
				)}
			</Group>
			{entry.again === 0 && (
				<Text size="sm" c="dimmed">
					It reaches none of its phones any more, so it cannot be sent again.
				</Text>
			)}
			{sent !== undefined && (
				<Group gap="xs">
					<Text size="sm" role="status" className="good">
						Sent to the same recipients.
					</Text>
					<Button variant="subtle" size="compact-sm" onClick={() => onOpen(sent)}>
						Show the new entry
					</Button>
				</Group>
			)}
			<Problem message={send.error} />
		</>
	);
}

function Shown({ message }: { message: HistoryMessage }) {
	if (message.kind === 'push' || message.kind === 'push_update')
		return <NotificationPreview push={message.content as Notification} isUnfolded />;
	if (message.kind === 'badge') return <Text>Badge {String(message.content)}</Text>;
	const { activity } = message.content as { activity: ShownActivity };
	return <ActivityPreview activity={activity} clockOffset={0} />;
}

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
						<Table.Td>{tapOutcome(tap)}</Table.Td>
					</Table.Tr>
				))}
			</Table.Tbody>
		</Table>
	);
}

/** What needs a person comes first: among many phones it would not be found. */
function byTrouble({ state: one }: HistoryDelivery, { state: other }: HistoryDelivery): number {
	return Number(other === 'failed') - Number(one === 'failed');
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
				{[...message.deliveries].sort(byTrouble).map((delivery, index) => (
					<Table.Tr key={index}>
						<Table.Td>{delivery.device}</Table.Td>
						<Table.Td>
							<StateBadge state={delivery.state} />
						</Table.Td>
						<Table.Td>
							{deliveryDetail(delivery)}
							<Failures failures={delivery.failures} />
						</Table.Td>
					</Table.Tr>
				))}
			</Table.Tbody>
		</Table>
	);
}

/** The failed attempts, if there were several: the last one is shown anyway. */
function Failures({ failures }: Pick<HistoryDelivery, 'failures'>) {
	if (failures.length < 2) return null;
	return (
		<details>
			<summary>Attempts</summary>
			{failures.map(({ at, reason }) => (
				<Text key={at} size="sm">
					{fullTime(at)}: {reason}
				</Text>
			))}
		</details>
	);
}
