import { Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import type {
	HistoryDelivery,
	EntryDetail,
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
import { TYPING_PAUSE_MS } from '../hooks/use-address.ts';
import { useData } from '../hooks/use-data.ts';
import { Loading, Problem } from './page.tsx';
import { deliveryDetail } from './delivery-detail.ts';
import { EntryStates, PhoneStates, StateBadge } from './delivery-states.tsx';
import { SendButton } from './dialogs.tsx';
import { ListTable } from './list-table.tsx';
import { ActivityPreview, NotificationPreview } from './lock-screen-preview.tsx';
import { SearchField } from './search.tsx';

/** A part of the deliveries of an entry. */
interface Part {
	before: string;
	/** Empty: all states; undefined: none was chosen yet. */
	state?: string;
	/** True if the state was not chosen by the person. */
	isFirst?: boolean;
	search: string;
}

const NEWEST: Part = { before: '', search: '' };

interface HistoryEntryProps {
	id: string;
	/** Shows another entry in its place. */
	onOpen: (id: string) => void;
	onClose: () => void;
}

/** One entry from start to end: each message, and its delivery to each phone. */
export function HistoryEntryDialog({ id, onOpen, onClose }: HistoryEntryProps) {
	const [part, setPart] = useState<Part>(NEWEST);
	const [whole, setWhole] = useState<HistoryMessage[]>([]);
	const { before, state, isFirst, search } = part;
	const show = (change: Partial<Part>) =>
		setPart({ ...part, before: '', isFirst: false, ...change });
	const [settled] = useDebouncedValue(search, TYPING_PAUSE_MS);
	const open = (other: string) => {
		setPart(NEWEST);
		setWhole([]);
		onOpen(other);
	};
	const query = new URLSearchParams({
		...(before !== '' && { before }),
		...(state && { state }),
		...(settled !== '' && { search: settled }),
	});
	const { data, error } = useData('GET /history/:id', id, query);
	// Deliveries that need attention come first: among many phones, they would be overlooked.
	if (state === undefined && data && data.earlier !== null && data.phones.failed > 0)
		show({ state: 'failed', isFirst: true });
	// The message itself stays, whichever of its phones are asked for.
	if (data && data.lifecycle !== whole && lastId(data.lifecycle) >= lastId(whole))
		setWhole(data.lifecycle);
	return (
		<Modal opened size="lg" onClose={onClose} title={data?.title ?? 'History'}>
			<Problem message={error} />
			{data ? (
				<Detail entry={data} whole={whole} onOpen={open}>
					<PhoneStates
						phones={data.phones}
						chosen={state ?? ''}
						onChoose={(chosen) => show({ state: chosen })}
					/>
					{Object.values(data.phones).reduce((sum, count) => sum + count) > FEW_PHONES && (
						<SearchField
							label="Phone or person"
							value={search}
							onChange={(words) => show({ search: words, ...(isFirst && { state: '' }) })}
						/>
					)}
				</Detail>
			) : (
				<Loading />
			)}
			{data && (before !== '' || data.earlier !== null) && (
				<nav className="pager" aria-label="Parts of the deliveries">
					{before !== '' && (
						<Button variant="default" onClick={() => show({})}>
							Newest
						</Button>
					)}
					{data.earlier !== null && (
						<Button variant="default" onClick={() => show({ before: data.earlier ?? '' })}>
							Earlier
						</Button>
					)}
				</nav>
			)}
		</Modal>
	);
}

function lastId(messages: readonly HistoryMessage[]): number {
	return messages.at(-1)?.id ?? 0;
}

/** The most phones that need no search. */
const FEW_PHONES = 10;

interface AgainProps {
	entry: EntryDetail;
	/** Its messages, with any of their deliveries. */
	whole: HistoryMessage[];
	onOpen: (id: string) => void;
}

/** @param children the summary of its phones */
function Detail({ entry, whole, onOpen, children }: AgainProps & { children: ReactNode }) {
	const last = whole.at(-1);
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
			<Again entry={entry} whole={whole} onOpen={onOpen} />
			{entry.metadata && (
				<Code block className="json">
					{JSON.stringify(entry.metadata, null, 2)}
				</Code>
			)}
			<Taps taps={entry.taps} />
			{children}
			{entry.lifecycle.length === 0 && <Text c="dimmed">No phone matches.</Text>}
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

/** Buttons that send the same again, or open it to be changed first. */
function Again({ entry, whole, onOpen }: AgainProps) {
	const send = useAction(() => call('POST /history/:id/send', entry.id));
	const [sent, setSent] = useState<string>();
	const incoming = toIncoming({ ...entry, lifecycle: whole });
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
					None of its phones can be reached anymore, so it cannot be sent again.
				</Text>
			)}
			{sent !== undefined && (
				<Group gap="xs">
					<Text size="sm" role="status">
						Sent to the same recipients.
					</Text>
					<EntryStates id={sent} />
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
		<ListTable
			label="Taps"
			columns={['Tap', 'Person and phone', 'Time', 'Outcome']}
			className="entries"
			verticalSpacing={4}
		>
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
		</ListTable>
	);
}

/** Deliveries that need attention come first: among many phones, nobody would find them. */
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
						<Table.Td>
							{delivery.device}
							<Text size="sm" c="dimmed">
								{delivery.user}
							</Text>
						</Table.Td>
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
