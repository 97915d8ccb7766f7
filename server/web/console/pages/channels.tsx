import { Button, Group, MultiSelect, Paper, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconHash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ConsoleChannel } from '../../../src/contract/console/resources.ts';
import { REACHABILITY, PER_PAGE } from '../../../src/contract/values.ts';
import { call } from '../api.ts';
import { inPhones } from '../channel-words.ts';
import { AddButton, Empty, Page } from '../components/page.tsx';
import { SmallButton } from '../components/of.tsx';
import { NewChannelFields, PeopleField, useNewChannel } from '../components/new-channel.tsx';
import { ConfirmButton, FormDialog } from '../components/dialogs.tsx';
import { typed } from '../components/fields.tsx';
import { Pager } from '../components/pager.tsx';
import { NoMatches, SearchField } from '../components/search.tsx';
import { TYPING_PAUSE_MS, useAddress } from '../hooks/use-address.ts';
import { useData } from '../hooks/use-data.ts';
import { numberText } from '../locale.ts';

const NO_SEARCH = { search: '', page: '' };

export function Channels() {
	const { values, settled, field, clear, hrefTo } = useAddress(NO_SEARCH);
	const { search, page } = settled;
	const { data, error } = useData('GET /channels', { search, page: page || '1' });
	const [isCreating, setIsCreating] = useState(false);
	const channel = useNewChannel();
	return (
		<Page
			title="Channels"
			about="Groups of people and phones a workflow can send to by name."
			error={error}
			isLoading={!data}
			action={<AddButton text="New channel" onClick={() => setIsCreating(true)} />}
		>
			{data && (data.of > PER_PAGE || values.search !== '') && (
				<search className="filters">
					<SearchField placeholder="Name or slug" {...field('search')} />
				</search>
			)}
			{data && data.of > 0 && data.total === 0 && (
				<NoMatches icon={<IconHash size={28} />} onClear={clear} />
			)}
			{data?.of === 0 && (
				<Empty
					icon={<IconHash size={28} />}
					title="No channels yet"
					action={<Button onClick={() => setIsCreating(true)}>Create the first channel</Button>}
				>
					Without channels, everything goes to every phone. Create one, such as <code>on-call</code>
					, and add the people who should get its messages.
				</Empty>
			)}
			<div className="cards-grid">
				{data?.channels.map((one) => (
					<ChannelCard key={one.slug} channel={one} />
				))}
			</div>
			{data && <Pager {...data} of="channels" hrefTo={hrefTo} />}
			<FormDialog
				title="New channel"
				opened={isCreating}
				submit="Create"
				onClose={() => setIsCreating(false)}
				onSubmit={channel.create}
				onTaken={channel.clear}
			>
				<NewChannelFields {...channel} />
			</FormDialog>
		</Page>
	);
}

type ChannelPhone = ConsoleChannel['devices'][number];

/** The name, with a note for a phone that nothing can wake or reach. */
function nameAndReach({ name, reach }: ChannelPhone): string {
	const isReachable = reach === 'open' || reach === 'push';
	return isReachable ? name : `${name} (${REACHABILITY[reach]})`;
}

/** Names on a card. */
const FEW = 5;

/** The first names, and how many there are besides. */
function someOf(names: readonly string[], count: number): string {
	if (count === 0) return 'None';
	const few = names.slice(0, FEW);
	const more = count - few.length;
	return few.join(', ') + (more > 0 ? ` and ${numberText(more)} more` : '');
}

function ChannelCard({ channel }: { channel: ConsoleChannel }) {
	const [isEditing, setIsEditing] = useState(false);
	return (
		<Paper withBorder p="md" component="article" aria-label={channel.name}>
			<Text fw={600}>{channel.name}</Text>
			<Text size="sm" c="dimmed">
				<code>{channel.slug}</code> · reaches {inPhones(channel.reaches)}
				{channel.only_while_open > 0 && `, ${channel.only_while_open} only while open`}
				{channel.reaches === 0 && channel.user_count > 0 && (
					<>
						{' '}
						· <a href="#/devices?pair=open">Pair a phone</a>
					</>
				)}
			</Text>
			<dl className="facts">
				<dt>People</dt>
				<dd>{someOf(channel.users, channel.user_count)}</dd>
				<dt>Phones</dt>
				<dd>{someOf(channel.devices.map(nameAndReach), channel.device_count)}</dd>
			</dl>
			<Group gap="xs" mt="sm">
				<SmallButton
					text="Change"
					of={channel.name}
					variant="light"
					onClick={() => setIsEditing(true)}
				/>
				<ConfirmButton
					label="Delete"
					of={channel.name}
					question={`Delete ${channel.name}?`}
					onConfirm={() => call('DELETE /channels/:slug', channel.slug)}
				>
					Requests to <code>{channel.slug}</code> will be refused.
				</ConfirmButton>
			</Group>
			{isEditing && <EditChannel slug={channel.slug} onClose={() => setIsEditing(false)} />}
		</Paper>
	);
}

/** Loads all members of the channel first: saving replaces them. */
function EditChannel({ slug, onClose }: { slug: string; onClose: () => void }) {
	const { data } = useData('GET /channels/:slug', slug);
	return data ? <ChangeChannel channel={data} onClose={onClose} /> : null;
}

function ChangeChannel({ channel, onClose }: { channel: ConsoleChannel; onClose: () => void }) {
	const [name, setName] = useState(channel.name);
	const [users, setUsers] = useState(channel.users);
	const [phones, setPhones] = useState(channel.devices);
	const devices = phones.map(({ id }) => id);
	return (
		<FormDialog
			title={`Change ${channel.name}`}
			opened
			submit="Save"
			onClose={onClose}
			onSubmit={() => call('PUT /channels/:slug', channel.slug, { name, users, devices })}
		>
			<TextInput label="Name" {...typed(name, setName)} />
			<PeopleField value={users} onChange={setUsers} />
			<PhoneChoice phones={phones} onChange={setPhones} />
		</FormDialog>
	);
}

interface PhoneChoiceProps {
	phones: ChannelPhone[];
	onChange: (phones: ChannelPhone[]) => void;
}

/** Offers the first phones that a search finds, beside those chosen already. */
function PhoneChoice({ phones, onChange }: PhoneChoiceProps) {
	const [search, setSearch] = useState('');
	const [settled] = useDebouncedValue(search, TYPING_PAUSE_MS);
	const { data } = useData('GET /devices', { search: settled, sort: 'name' });
	const known = new Map([...phones, ...(data?.devices ?? [])].map((phone) => [phone.id, phone]));
	const isMany = data !== undefined && data.of > PER_PAGE;
	return (
		<MultiSelect
			label="Single phones"
			data={[...known.values()].map((phone) => ({
				value: phone.id,
				label: `${nameAndReach(phone)} · ${phone.user}`,
			}))}
			searchable={isMany}
			{...(isMany && { searchValue: search, onSearchChange: setSearch })}
			value={phones.map(({ id }) => id)}
			onChange={(ids) => onChange(ids.flatMap((id) => known.get(id) ?? []))}
		/>
	);
}
