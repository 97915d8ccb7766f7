import { Button, Table, Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useState } from 'react';
import type { AuditPage, AuditEntry, AuditEvent } from '../../../src/contract/console/audit.ts';
import { fullTime } from '../../device/relative-time.ts';
import { call } from '../api.ts';
import { withoutUsedCodes } from '../audit-entries.ts';
import { Loading, Page, Problem } from '../components/page.tsx';
import { ListTable } from '../components/list-table.tsx';
import { ChoiceFilter, NoMatches, SearchField } from '../components/search.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useAddress } from '../hooks/use-address.ts';
import { useData } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';

const WORDS: Record<AuditEvent, string> = {
	sign_in_failed: 'Wrong password for',
	password_changed: 'Changed their password',
	email_changed: 'Changed their email address to',
	account_renamed: 'Renamed the account to',
	password_reset_link_created: 'Created a password reset link for',
	password_reset_link_withdrawn: 'Withdrew the password reset link for',
	password_reset: 'Reset the password of',
	sessions_ended: 'Signed out other sessions:',
	setup_link_created: 'Created a setup link',
	member_invited: 'Invited',
	invitation_withdrawn: 'Withdrew the invitation for',
	member_joined: 'Joined as',
	member_renamed: 'Changed their name to',
	member_removed: 'Removed console access of',
	role_changed: 'Changed the role of',
	key_created: 'Created the API key',
	key_revoked: 'Revoked the API key',
	sent: 'Sent from the console:',
	test_push_sent: 'Sent a test push to',
	plan_changed: 'Changed the plan or its limits:',
	person_added: 'Added the person',
	person_renamed: 'Renamed',
	person_merged: 'Merged the people',
	person_removed: 'Removed the person',
	pair_code_created: 'Created a pairing code for',
	phone_paired: 'Created the code that paired',
	phone_renamed: 'Renamed the phone',
	phone_disconnected: 'Disconnected',
	phone_removed: 'Removed the phone',
	channel_created: 'Created the channel',
	channel_changed: 'Changed the channel',
	channel_deleted: 'Deleted the channel',
	metric_created: 'Created the metric',
	metric_changed: 'Changed the metric',
	metric_deleted: 'Deleted the metric',
	stream_paused: 'Paused the Live Activity',
	stream_resumed: 'Resumed the Live Activity',
	stream_ended: 'Ended the Live Activity',
	question_withdrawn: 'Withdrew the question',
	callback_repeated: 'Told the workflow again about the question',
	trigger_registered: 'Registered the trigger',
	activity_ended: 'Ended the Live Activity',
};

function formatActor({ actor, actor_name: name, address }: AuditEntry): string {
	if (actor === 'command_line') return 'Command line';
	if (actor === 'visitor') return `Visitor at ${address ?? 'an unknown address'}`;
	if (actor === 'key') return `API key ${name}`;
	return name ?? 'A person';
}

const NO_FILTER = { search: '', event: '' };

const EVENTS = Object.entries(WORDS).map(([value, words]) => ({
	value,
	label: words.replace(/:$/, '…'),
}));

/** The log of changes, with person and time; for owners. */
export function Audit() {
	const { isOwner } = useSession();
	const { settled, field, clear } = useAddress(NO_FILTER);
	return (
		<Page
			title="Audit log"
			about="Changes, messages sent from the console, and failed sign-ins. Kept for a year."
		>
			{isOwner ? (
				<>
					<search className="filters">
						<SearchField placeholder="Person, phone, key…" {...field('search')} />
						<ChoiceFilter
							label="What"
							all="All events"
							data={EVENTS}
							searchable
							{...field('event')}
						/>
					</search>
					{/* What was read of another list goes with it. */}
					<Entries key={Object.values(settled).join(' ')} filter={settled} onClear={clear} />
				</>
			) : (
				<Text c="dimmed">Only owners can read the audit log.</Text>
			)}
		</Page>
	);
}

function Entries({ filter, onClear }: { filter: typeof NO_FILTER; onClear: () => void }) {
	const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
	const { data, error } = useData('GET /audit', query);
	const [older, setOlder] = useState<AuditPage>();
	const last = older ?? data;
	const more = useAction(() => call('GET /audit', { ...query, before: last?.next }));
	const showMore = async () => {
		const page = await more.run();
		// The first page changes while the older ones stay: entries it loses are kept with these.
		const before = older?.entries ?? data?.entries ?? [];
		if (page) setOlder({ ...page, entries: [...before, ...page.entries] });
	};
	const seen = new Set(data?.entries.map(({ id }) => id));
	const entries = [
		...(data?.entries ?? []),
		...(older?.entries.filter(({ id }) => !seen.has(id)) ?? []),
	];
	return (
		<>
			<Problem message={error ?? more.error} />
			{!data && <Loading />}
			{data && entries.length === 0 && (
				<NoMatches icon={<IconListDetails size={28} />} onClear={onClear} />
			)}
			<ListTable label="Audit log" columns={['When', 'Who', 'What']}>
				{withoutUsedCodes(entries).map((entry) => (
					<Table.Tr key={entry.id}>
						<Table.Td>
							<time dateTime={entry.at}>{fullTime(entry.at)}</time>
						</Table.Td>
						<Table.Td>{formatActor(entry)}</Table.Td>
						<Table.Td>
							{WORDS[entry.event]} {entry.subject}
							{entry.times > 1 && ` (${entry.times} times within an hour)`}
						</Table.Td>
					</Table.Tr>
				))}
			</ListTable>
			{last?.next != null && (
				<Button mt="md" variant="default" loading={more.isRunning} onClick={() => void showMore()}>
					Show older entries
				</Button>
			)}
		</>
	);
}
