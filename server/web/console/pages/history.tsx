import { Badge, Button, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import type { ConsoleHistoryEntry, HistoryAnswer } from '../../../src/contract/console/history.ts';
import { fullTime } from '../../phone/relative-time.ts';
import { Ago } from '../components/ago.tsx';
import { Empty, Page } from '../components/page.tsx';
import { PhoneCounts } from '../components/delivery-states.tsx';
import { HistoryEntryDialog } from '../components/history-entry.tsx';
import { HistoryFilters, NO_FILTER, toQuery } from '../components/history-filters.tsx';
import { KINDS } from '../components/history-kinds.ts';
import { TableBox } from '../components/list-table.tsx';
import { useAddress } from '../hooks/use-address.ts';
import { addressOf } from '../api.ts';
import { useData } from '../hooks/use-data.ts';

export function History() {
	const { values, settled, set, clear, hrefTo } = useAddress(NO_FILTER);
	const query = toQuery(settled);
	const isFiltered = query.size > 0;
	const exported = addressOf('GET /history.csv', query);
	if (settled.page !== '') query.set('cursor', settled.page);
	const { data, error } = useData('GET /history', query);
	const [shownId, setShownId] = useState<string>();
	return (
		<Page
			title="History"
			about="Everything that was sent, and its outcome on each phone."
			error={error}
			action={
				<Button
					component="a"
					variant="default"
					href={exported}
					download
					leftSection={<IconDownload size={16} />}
				>
					Export as CSV
				</Button>
			}
		>
			<HistoryFilters filter={values} onChange={set} />
			{data?.entries.length === 0 && data.cursor === null && settled.page === '' && (
				<Empty
					icon={<IconHistory size={28} />}
					title={isFiltered ? 'No matches' : 'Nothing sent yet'}
					action={
						isFiltered ? (
							<Button variant="light" onClick={clear}>
								Clear the filters
							</Button>
						) : (
							<Button component="a" href="#/playground">
								Send something from the Playground
							</Button>
						)
					}
				>
					{isFiltered
						? 'Results match every filter.'
						: 'Each push, badge and Live Activity sent by a workflow is listed here.'}
				</Empty>
			)}
			{data && data.entries.length > 0 && <Entries entries={data.entries} onOpen={setShownId} />}
			{data && <Turns answer={data} page={settled.page} hrefTo={hrefTo} />}
			{shownId !== undefined && (
				<HistoryEntryDialog id={shownId} onClose={() => setShownId(undefined)} />
			)}
		</Page>
	);
}

interface EntriesProps {
	entries: ConsoleHistoryEntry[];
	onOpen: (id: string) => void;
}

function Entries({ entries, onOpen }: EntriesProps) {
	return (
		<TableBox label="History">
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
		</TableBox>
	);
}

interface TurnsProps {
	answer: HistoryAnswer;
	page: string;
	hrefTo: (part: { page: string }) => string;
}

/** Links to the newest and to older entries. */
function Turns({ answer, page, hrefTo }: TurnsProps) {
	const { entries, cursor, looked_back_to: lookedBackTo } = answer;
	return (
		<>
			{lookedBackTo !== null && (
				<Text c="dimmed" role="status">
					Nothing {entries.length > 0 && 'else '}found since {fullTime(lookedBackTo)}.
				</Text>
			)}
			{(page !== '' || cursor !== null) && (
				<nav className="pager" aria-label="Pages of the history">
					{page !== '' && (
						<Button component="a" variant="default" href={hrefTo({ page: '' })}>
							Newest
						</Button>
					)}
					{cursor !== null && (
						<Button component="a" variant="default" href={hrefTo({ page: cursor })}>
							{lookedBackTo === null ? 'Older' : 'Look further back'}
						</Button>
					)}
				</nav>
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
					<Text component="span" inherit lineClamp={2}>
						{entry.title}
					</Text>
				</UnstyledButton>
				<Text size="xs" c="dimmed" lineClamp={2}>
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
