import { Badge, Button, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { ConsoleHistoryEntry, HistoryAnswer } from '../../../src/contract/console/history.ts';
import { fullTime } from '../../phone/relative-time.ts';
import { api } from '../api.ts';
import { Ago, Empty, Page, Problem } from '../components/bits.tsx';
import { PhoneCounts } from '../components/delivery-states.tsx';
import { HistoryEntryDialog } from '../components/history-entry.tsx';
import { type Filter, HistoryFilters, NO_FILTER, queryOf } from '../components/history-filters.tsx';
import { KINDS } from '../components/history-kinds.ts';
import { useAction } from '../hooks/use-action.ts';
import { useData } from '../hooks/use-data.ts';

const PAUSE_BEFORE_SEARCH_MS = 250;

/** The filter once typing pauses. */
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
			<HistoryFilters filter={filter} onChange={setFilter} />
			{data?.entries.length === 0 && data.cursor === null && (
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
			{data && (data.entries.length > 0 || data.cursor !== null) && (
				<Entries key={query} first={data} query={query} onOpen={setShownId} />
			)}
			{shownId !== undefined && (
				<HistoryEntryDialog id={shownId} onClose={() => setShownId(undefined)} />
			)}
		</Page>
	);
}

interface EntriesProps {
	/** The newest page, kept live. */
	first: HistoryAnswer;
	query: string;
	onOpen: (id: string) => void;
}

function Entries({ first, query, onOpen }: EntriesProps) {
	const [shown, setShown] = useState(first);
	const [seen, setSeen] = useState(first);
	if (first !== seen) {
		setSeen(first);
		setShown(withNewest(shown, first));
	}
	const { entries, cursor, looked_back_to: lookedBackTo } = shown;
	const more = useAction(async () => {
		const page = await api.get<HistoryAnswer>(`/history?${query}&cursor=${cursor}`);
		setShown((current) => ({
			...page,
			entries: [...current.entries, ...page.entries],
		}));
	});
	return (
		<>
			<div className="table-box">
				<Table className="entries" verticalSpacing="xs" highlightOnHover>
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
			{lookedBackTo !== null && (
				<Text c="dimmed" role="status">
					Nothing {entries.length > 0 && 'else '}was found since {fullTime(lookedBackTo)}.
				</Text>
			)}
			{cursor !== null && (
				<Button variant="default" loading={more.isRunning} onClick={() => void more.run()}>
					{lookedBackTo === null ? 'Show older ones' : 'Look further back'}
				</Button>
			)}
			<Problem message={more.error} />
		</>
	);
}

/** The newest page in front of the older ones, without a gap between them. */
function withNewest(shown: HistoryAnswer, first: HistoryAnswer): HistoryAnswer {
	const newest = new Set(first.entries.map(({ id }) => id));
	const meet = shown.entries.some(({ id }) => newest.has(id));
	if (!meet || first.cursor === null) return first;
	const last = first.entries.at(-1)?.id;
	const at = shown.entries.findIndex(({ id }) => id === last);
	const older = shown.entries.filter(({ id }, index) => index > at && !newest.has(id));
	return older.length > 0 ? { ...shown, entries: [...first.entries, ...older] } : first;
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
				<Phones entry={entry} />
			</Table.Td>
			<Table.Td className="when">
				<Ago at={entry.created_at} />
			</Table.Td>
		</Table.Tr>
	);
}

function Phones({ entry: { phones, kind, ended_at: endedAt } }: { entry: ConsoleHistoryEntry }) {
	return (
		<Group gap={6}>
			<PhoneCounts phones={phones} />
			{kind === 'activity' && endedAt === null && (
				<Badge className="badge" color="green" variant="light">
					Running
				</Badge>
			)}
		</Group>
	);
}
