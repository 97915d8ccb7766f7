import { Badge, Button, Group, Modal, Paper, Select, Text } from '@mantine/core';
import { IconDeviceMobile } from '@tabler/icons-react';
import { useState } from 'react';
import type {
	ConsoleDevice,
	DeviceOrder,
	TestPushResponse,
} from '../../../src/contract/console/resources.ts';
import { type Reachability, REACHABILITY } from '../../../src/contract/values.ts';
import { fullTime } from '../../device/relative-time.ts';
import { call } from '../api.ts';
import { Ago } from '../components/ago.tsx';
import { AddButton, Empty, Page, Problem } from '../components/page.tsx';
import { SmallButton } from '../components/of.tsx';
import { STATE_CLASSES } from '../components/delivery-states.tsx';
import { ConfirmButton, RenameDialog } from '../components/dialogs.tsx';
import { Pager } from '../components/pager.tsx';
import { Pairing } from '../components/pairing.tsx';
import { ChoiceFilter, NoMatches, SearchField } from '../components/search.tsx';
import { Selectable, SelectBox } from '../components/selection.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useAddress, useTakenValue } from '../hooks/use-address.ts';
import { useData } from '../hooks/use-data.ts';

const REACH_COLORS: Record<Reachability, string> = {
	open: 'green',
	push: 'blue',
	while_open: 'yellow',
	disconnected: 'red',
};

const NO_FILTER = { search: '', reach: '', sort: '', page: '' };

export function Devices() {
	const { values, settled, field, clear, hrefTo } = useAddress(NO_FILTER);
	const query = new URLSearchParams(Object.entries(settled).filter(([, value]) => value !== ''));
	query.set('page', settled.page || '1');
	const { data, error } = useData('GET /devices', query);
	// Disconnected phones can only be removed, and are chosen separately.
	const isOfGone = settled.reach === 'disconnected';
	const [isPairing, setIsPairing] = useState(false);
	useTakenValue('pair', () => setIsPairing(true));
	return (
		<Page
			title="Phones"
			about="The phones your workflows reach, and whose they are."
			action={<AddButton text="Pair a phone" onClick={() => setIsPairing(true)} />}
			error={error}
			isLoading={!data}
		>
			{data?.of === 0 && (
				<Empty
					icon={<IconDeviceMobile size={28} />}
					title="No phones yet"
					action={<Button onClick={() => setIsPairing(true)}>Pair the first phone</Button>}
				>
					Scan the code with a phone’s camera. No app needed: the browser becomes the phone. This
					computer’s browser can be one, too.
				</Empty>
			)}
			{data && data.of > 1 && (
				<search className="filters">
					<SearchField placeholder="Phone or person" {...field('search')} />
					<ChoiceFilter
						label="Status"
						all="Any status"
						data={Object.entries(REACHABILITY).map(([value, words]) => ({
							value,
							label: sentence(words),
						}))}
						{...field('reach')}
					/>
					<Select
						label="Sort by"
						data={ORDERS}
						allowDeselect={false}
						{...field('sort')}
						value={values.sort || 'paired'}
					/>
				</search>
			)}
			{data && data.of > 0 && data.total === 0 && (
				<NoMatches icon={<IconDeviceMobile size={28} />} onClear={clear} />
			)}
			<Selectable
				key={String(isOfGone)}
				of={['phone']}
				shown={
					data?.devices
						.filter(({ reach }) => (reach === 'disconnected') === isOfGone)
						.map(({ id }) => id) ?? []
				}
				channels={isOfGone ? undefined : 'devices'}
				verb={isOfGone ? 'Remove' : 'Disconnect'}
				act={(id) =>
					isOfGone ? call('POST /devices/:id/remove', id) : call('DELETE /devices/:id', id)
				}
				consequence={isOfGone ? WHEN_REMOVED : WHEN_DISCONNECTED}
			>
				<div className="cards-grid">
					{data?.devices.map((device) => (
						<DeviceCard key={device.id} device={device} />
					))}
				</div>
			</Selectable>
			{data && <Pager {...data} of="phones" hrefTo={hrefTo} />}
			<Modal opened={isPairing} onClose={() => setIsPairing(false)} title="Pair a phone">
				<Pairing onClose={() => setIsPairing(false)} />
			</Modal>
		</Page>
	);
}

const ORDERS: Array<{ value: DeviceOrder; label: string }> = [
	{ value: 'paired', label: 'Oldest first' },
	{ value: 'name', label: 'Phone' },
	{ value: 'user', label: 'Person' },
	{ value: 'last_seen', label: 'Last seen' },
];

function sentence(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What may keep a message from the phone, or from making a sound there. */
function Trouble({ device }: { device: ConsoleDevice }) {
	const { muted, quiet_until: until, last_failure: failure } = device;
	return (
		<>
			{muted.length > 0 && (
				<Text size="sm" mt={6}>
					Has muted {muted.join(', ')}
				</Text>
			)}
			{until !== null && (
				<Text size="sm" mt={6}>
					Quiet until {fullTime(until)}
				</Text>
			)}
			{failure && (
				<Text size="sm" mt={6} c="red">
					Last delivery failed <Ago at={failure.at} />: {failure.reason}. {failure.advice}
				</Text>
			)}
		</>
	);
}

const WHEN_REMOVED = 'It is removed from the list and its channels. The history is kept.';
const WHEN_DISCONNECTED = 'It receives nothing until it is paired again.';

function DeviceCard({ device }: { device: ConsoleDevice }) {
	const [isRenaming, setIsRenaming] = useState(false);
	const test = useAction(() => call('POST /devices/:id/test', device.id));
	const [outcome, setOutcome] = useState<TestPushResponse>();
	const isGone = device.reach === 'disconnected';
	return (
		<Paper withBorder p="md" component="article" aria-label={device.name} data-gone={isGone}>
			<Group className="device-head" justify="space-between" align="flex-start" gap="xs">
				<SelectBox ids={[device.id]} name={device.name} />
				<div className="grow">
					<Text fw={600}>{device.name}</Text>
					<Text size="sm" c="dimmed">
						{device.user} · {device.platform === 'ios' ? 'iPhone' : 'Browser'}
					</Text>
				</div>
				<Badge color={REACH_COLORS[device.reach]} variant="light" className="badge">
					{REACHABILITY[device.reach]}
				</Badge>
			</Group>
			{!isGone && device.advice !== null && (
				<Text size="sm" mt={6}>
					{device.advice}
				</Text>
			)}
			<Trouble device={device} />
			<dl className="facts">
				<dt>Last seen</dt>
				<dd>
					<Ago at={device.last_seen_at} />
				</dd>
				<dt>Badge</dt>
				<dd>{device.badge}</dd>
				<dt>Channels</dt>
				<dd>{device.channels.join(', ') || 'None'}</dd>
			</dl>
			{outcome && (
				<Text size="sm" role="status" className={`note ${STATE_CLASSES[outcome.state] ?? ''}`}>
					{outcome.message}
				</Text>
			)}
			<Problem message={test.error} />
			<Group gap="xs" mt="sm">
				{isGone && (
					<ConfirmButton
						label="Remove"
						of={device.name}
						question={`Remove ${device.name}?`}
						onConfirm={() => call('POST /devices/:id/remove', device.id)}
					>
						{WHEN_REMOVED}
					</ConfirmButton>
				)}
				{!isGone && (
					<>
						<SmallButton
							text="Send a test push"
							of={`to ${device.name}`}
							variant="light"
							loading={test.isRunning}
							onClick={() => void test.run().then(setOutcome)}
						/>
						<SmallButton text="Rename" of={device.name} onClick={() => setIsRenaming(true)} />
						<ConfirmButton
							label="Disconnect"
							of={device.name}
							question={`Disconnect ${device.name}?`}
							onConfirm={() => call('DELETE /devices/:id', device.id)}
						>
							{WHEN_DISCONNECTED}
						</ConfirmButton>
					</>
				)}
			</Group>
			{isRenaming && (
				<RenameDialog
					current={device.name}
					onClose={() => setIsRenaming(false)}
					onRename={(name) => call('PUT /devices/:id', device.id, { name })}
				/>
			)}
		</Paper>
	);
}
