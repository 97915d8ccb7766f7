import { Badge, Button, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import type { ConsoleHistoryEntry } from '../../../src/contract/console/history.ts';
import { fullTime } from '../../device/relative-time.ts';
import { Ago } from '../components/ago.tsx';
import { Empty, Page } from '../components/page.tsx';
import { PhoneStates } from '../components/delivery-states.tsx';
import { HistoryEntryDialog } from '../components/history-entry.tsx';
import { HistoryFilters, NO_FILTER, toQuery } from '../components/history-filters.tsx';
import { KINDS } from '../components/history-kinds.ts';
import { ListTable } from '../components/list-table.tsx';
import { CursorPager } from '../components/pager.tsx';
import { NoMatches } from '../components/search.tsx';
import { useAddress, useAddressValue } from '../hooks/use-address.ts';
import { addressOf } from '../api.ts';
import { useData } from '../hooks/use-data.ts';

export function History() {
	const { values, settled, field, clear, hrefTo } = useAddress(NO_FILTER);
	const query = toQuery(settled);
	const isFiltered = query.size > 0;
	const exported = addressOf('GET /history.csv', query);
	if (settled.page !== '') query.set('cursor', settled.page);
	const { data, error, path } = useData('GET /history', query);
	const lookedBackTo = data?.looked_back_to ?? null;
	const { entries, arrived, showArrived } = useHeldEntries(data?.entries, path);
	const [shownId, setShownId] = useAddressValue('entry');
	return (
		<Page
			title="History"
			about="Everything that was sent, and its outcome on each phone."
			error={error}
			isLoading={!data}
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
			<HistoryFilters values={values} field={field} />
			{data?.entries.length === 0 && data.cursor === null && settled.page === '' && (
				<NothingFound onClear={isFiltered ? clear : undefined} />
			)}
			{arrived > 0 && (
				<Button className="pill" radius="xl" size="compact-md" onClick={showArrived}>
					{arrived}
					{arrived === data?.entries.length && '+'} new
				</Button>
			)}
			{entries.length > 0 && (
				<ListTable
					label="History"
					columns={['What', 'Kind', 'Sent by', 'Phones', 'When']}
					className="entries"
					verticalSpacing="xs"
					highlightOnHover
				>
					{entries.map((entry) => (
						<EntryRow key={entry.id} entry={entry} onOpen={() => setShownId(entry.id)} />
					))}
				</ListTable>
			)}
			{lookedBackTo !== null && (
				<Text c="dimmed" role="status">
					Nothing {data?.entries.length !== 0 && 'else '}found since {fullTime(lookedBackTo)}.
				</Text>
			)}
			{data && (
				<CursorPager
					of="the history"
					page={settled.page}
					next={data.cursor}
					older={lookedBackTo === null ? 'Older' : 'Look further back'}
					hrefTo={hrefTo}
				/>
			)}
			{shownId !== '' && (
				<HistoryEntryDialog id={shownId} onOpen={setShownId} onClose={() => setShownId('')} />
			)}
		</Page>
	);
}

/** @param onClear the filters; undefined: there are none */
function NothingFound({ onClear }: { onClear: (() => void) | undefined }) {
	const icon = <IconHistory size={28} />;
	if (onClear) return <NoMatches icon={icon} onClear={onClear} />;
	return (
		<Empty
			icon={icon}
			title="Nothing sent yet"
			action={
				<Button component="a" href="#/playground">
					Send something from the Playground
				</Button>
			}
		>
			Each push, badge and Live Activity sent by a workflow is listed here.
		</Empty>
	);
}

/**
 * The list as it was when it was opened, so that nothing moves under the pointer, with the latest outcomes.
 * @param path of the list; another one is shown immediately
 */
function useHeldEntries(latest: ConsoleHistoryEntry[] | undefined, path: string) {
	const [held, setHeld] = useState<{ path: string; entries: ConsoleHistoryEntry[] }>();
	const isAnother = held?.path !== path || held.entries.length === 0;
	if (latest && isAnother && latest !== held?.entries) setHeld({ path, entries: latest });
	const known = new Set(held?.entries.map(({ id }) => id));
	const now = new Map(latest?.map((entry) => [entry.id, entry]));
	const [newest] = held?.entries ?? [];
	const oldest = latest?.at(-1);
	return {
		entries:
			held?.entries
				// Newer entries pushed the rest off the page; any missing among them no longer fit the filter.
				.filter(({ id, created_at: at }) => now.has(id) || (oldest && at < oldest.created_at))
				.map((entry) => now.get(entry.id) ?? entry) ?? [],
		// Older entries replace those that are gone.
		arrived:
			latest?.filter(
				({ id, created_at: at }) => !known.has(id) && newest && at >= newest.created_at,
			).length ?? 0,
		showArrived: () => setHeld(undefined),
	};
}

function EntryRow({ entry, onOpen }: { entry: ConsoleHistoryEntry; onOpen: () => void }) {
	const kind = KINDS[entry.kind];
	return (
		<Table.Tr
			className="entry"
			onClick={({ currentTarget }) => {
				// Where the focus returns when the entry is closed.
				currentTarget.querySelector('button')?.focus();
				onOpen();
			}}
		>
			<Table.Td>
				<UnstyledButton className="entry-title">
					<Text component="span" inherit lineClamp={2}>
						{entry.title}
					</Text>
				</UnstyledButton>
				<Text size="sm" c="dimmed" lineClamp={1}>
					{[entry.text, entry.stream_key, ...entry.tags].filter(Boolean).join(' · ')}
				</Text>
			</Table.Td>
			<Table.Td>
				<Badge className="badge" color={kind.color} variant="light">
					{kind.name}
				</Badge>
			</Table.Td>
			<Table.Td>{entry.key?.name ?? 'Console'}</Table.Td>
			<Table.Td>
				<Group gap={6}>
					<PhoneStates phones={entry.phones} />
					{entry.kind === 'activity' && entry.ended_at === null && (
						<Badge className="badge" color="green" variant="light">
							Running
						</Badge>
					)}
				</Group>
			</Table.Td>
			<Table.Td className="when">
				<Ago at={entry.created_at} />
			</Table.Td>
		</Table.Tr>
	);
}
