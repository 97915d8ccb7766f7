import {
	Badge,
	Button,
	Group,
	Select,
	Table,
	Text,
	TextInput,
	UnstyledButton,
} from '@mantine/core';
import { IconDownload, IconHistory, IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { ConsoleHistoryEntry, HistoryAnswer } from '../../../src/contract/console/records.ts';
import type { ConsoleChannel, ConsoleKey } from '../../../src/contract/console/things.ts';
import { api } from '../api.ts';
import { Ago, Empty, Page } from '../components/bits.tsx';
import { HistoryEntryDialog } from '../components/history-entry.tsx';
import { useData } from '../hooks/use-data.ts';

const NO_FILTER = { search: '', tags: '', kind: '', channel: '', key: '', from: '', until: '' };

type Filter = typeof NO_FILTER;

const KINDS: Record<ConsoleHistoryEntry['kind'], { name: string; color: string }> = {
	push: { name: 'Push', color: 'violet' },
	badge: { name: 'Badge', color: 'orange' },
	activity: { name: 'Live Activity', color: 'teal' },
};

const PAUSE_BEFORE_SEARCH_MS = 250;

function queryOf(filter: Filter): string {
	const { from, until, tags, ...rest } = filter;
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(rest))
		if (value.trim() !== '') query.set(name, value.trim());
	const tagList = tags
		.toLowerCase()
		.split(/[\s,]+/)
		.filter((tag) => tag !== '');
	if (tagList.length > 0) query.set('tags', tagList.join(','));
	if (from !== '') query.set('from', new Date(from).toISOString());
	if (until !== '') query.set('until', new Date(until).toISOString());
	return query.toString();
}

/** The filter as it was when typing paused. */
function useSettled(filter: Filter): Filter {
	const [settled, setSettled] = useState(filter);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(filter), PAUSE_BEFORE_SEARCH_MS);
		return () => clearTimeout(timer);
	}, [filter]);
	return settled;
}

export function History() {
	const [filter, setFilter] = useState(NO_FILTER);
	const query = queryOf(useSettled(filter));
	const { data, error } = useData<HistoryAnswer>(`/history?${query}`);
	const [shownId, setShownId] = useState<string>();
	const isFiltered = query !== '';
	return (
		<Page
			title="History"
			about="Everything that was sent, and what became of it on each phone."
			error={error}
			action={
				<Button
					component="a"
					variant="default"
					href={`/console/api/history.csv?${query}`}
					download
					leftSection={<IconDownload size={16} />}
				>
					Export as CSV
				</Button>
			}
		>
			<Filters filter={filter} onChange={setFilter} />
			{data?.entries.length === 0 && (
				<Empty
					icon={<IconHistory size={28} />}
					title={isFiltered ? 'Nothing like that was sent' : 'Nothing was sent yet'}
					action={
						isFiltered ? (
							<Button variant="light" onClick={() => setFilter(NO_FILTER)}>
								Show everything
							</Button>
						) : (
							<Button component="a" href="#/playground">
								Send something from the Playground
							</Button>
						)
					}
				>
					{isFiltered
						? 'Every word, tag and choice above must fit.'
						: 'Each push, badge and Live Activity of a workflow gets a line here.'}
				</Empty>
			)}
			{data && data.entries.length > 0 && (
				<Entries key={query} first={data} query={query} onOpen={setShownId} />
			)}
			{shownId !== undefined && (
				<HistoryEntryDialog id={shownId} onClose={() => setShownId(undefined)} />
			)}
		</Page>
	);
}

function Filters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
	const { data: channels } = useData<ConsoleChannel[]>('/channels');
	const { data: keys } = useData<ConsoleKey[]>('/keys');
	const set = (change: Partial<Filter>) => onChange({ ...filter, ...change });
	return (
		<search className="filters">
			<TextInput
				className="filter-wide"
				label="Search"
				placeholder="Words in any text that was sent"
				leftSection={<IconSearch size={16} />}
				value={filter.search}
				onChange={(event) => set({ search: event.currentTarget.value })}
			/>
			<TextInput
				label="Tags"
				placeholder="deploy, env:production"
				value={filter.tags}
				onChange={(event) => set({ tags: event.currentTarget.value })}
			/>
			<Select
				label="Kind"
				placeholder="All"
				clearable
				clearButtonProps={{ 'aria-label': 'All kinds' }}
				data={Object.entries(KINDS).map(([value, { name }]) => ({ value, label: name }))}
				value={filter.kind || null}
				onChange={(value) => set({ kind: value ?? '' })}
			/>
			<Select
				label="Channel"
				placeholder="All"
				clearable
				clearButtonProps={{ 'aria-label': 'All channels' }}
				data={channels?.map(({ slug, name }) => ({ value: slug, label: name })) ?? []}
				value={filter.channel || null}
				onChange={(value) => set({ channel: value ?? '' })}
			/>
			<Select
				label="Sent by"
				placeholder="All"
				clearable
				clearButtonProps={{ 'aria-label': 'All senders' }}
				data={[
					{ value: 'console', label: 'People, from here' },
					...(keys?.map(({ id, name, last_four: end }) => ({
						value: id,
						label: `${name} (…${end})`,
					})) ?? []),
				]}
				value={filter.key || null}
				onChange={(value) => set({ key: value ?? '' })}
			/>
			<TextInput
				label="From"
				type="datetime-local"
				value={filter.from}
				onChange={(event) => set({ from: event.currentTarget.value })}
			/>
			<TextInput
				label="Until"
				type="datetime-local"
				value={filter.until}
				onChange={(event) => set({ until: event.currentTarget.value })}
			/>
		</search>
	);
}

interface EntriesProps {
	/** The newest page, which is kept live. */
	first: HistoryAnswer;
	query: string;
	onOpen: (id: string) => void;
}

function Entries({ first, query, onOpen }: EntriesProps) {
	const [older, setOlder] = useState<HistoryAnswer>();
	const known = new Set(first.entries.map(({ id }) => id));
	const entries = [...first.entries, ...(older?.entries.filter(({ id }) => !known.has(id)) ?? [])];
	const cursor = older ? older.cursor : first.cursor;
	const more = async () => {
		if (cursor === null) return;
		const page = await api.get<HistoryAnswer>(`/history?${query}&cursor=${cursor}`);
		setOlder({ entries: [...(older?.entries ?? []), ...page.entries], cursor: page.cursor });
	};
	return (
		<>
			<div className="table-box">
				<Table verticalSpacing="xs" highlightOnHover>
					<Table.Thead>
						<Table.Tr>
							<Table.Th>What</Table.Th>
							<Table.Th>Kind</Table.Th>
							<Table.Th>Sent by</Table.Th>
							<Table.Th>Phones</Table.Th>
							<Table.Th>When</Table.Th>
						</Table.Tr>
					</Table.Thead>
					<Table.Tbody>
						{entries.map((entry) => (
							<EntryRow key={entry.id} entry={entry} onOpen={() => onOpen(entry.id)} />
						))}
					</Table.Tbody>
				</Table>
			</div>
			{cursor !== null && (
				<Button variant="default" onClick={() => void more()}>
					Show older ones
				</Button>
			)}
		</>
	);
}

function EntryRow({ entry, onOpen }: { entry: ConsoleHistoryEntry; onOpen: () => void }) {
	const kind = KINDS[entry.kind];
	return (
		<Table.Tr>
			<Table.Td>
				<UnstyledButton className="entry-title" onClick={onOpen}>
					{entry.title}
				</UnstyledButton>
				<Text size="xs" c="dimmed">
					{[entry.stream_key, ...entry.tags].filter(Boolean).join(' · ')}
				</Text>
			</Table.Td>
			<Table.Td>
				<Badge className="badge" color={kind.color} variant="light">
					{kind.name}
				</Badge>
			</Table.Td>
			<Table.Td>{entry.key?.name ?? 'Console'}</Table.Td>
			<Table.Td>
				<Deliveries entry={entry} />
			</Table.Td>
			<Table.Td className="when">
				<Ago at={entry.created_at} />
			</Table.Td>
		</Table.Tr>
	);
}

function Deliveries({
	entry: { deliveries, kind, ended_at: endedAt },
}: {
	entry: ConsoleHistoryEntry;
}) {
	const { delivered, pending, failed } = deliveries;
	return (
		<Group gap={6}>
			<Text size="sm">{delivered} delivered</Text>
			{pending > 0 && <Text size="sm">{pending} waiting</Text>}
			{failed > 0 && (
				<Text size="sm" className="bad">
					{failed} failed
				</Text>
			)}
			{kind === 'activity' && endedAt === null && (
				<Badge className="badge" color="green" variant="light">
					Running
				</Badge>
			)}
		</Group>
	);
}
