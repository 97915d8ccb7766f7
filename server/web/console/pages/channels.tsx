import { Button, Group, MultiSelect, Paper, Text, TextInput } from '@mantine/core';
import { IconHash, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type {
	ConsoleChannel,
	ConsoleDevice,
	DevicesAnswer,
} from '../../../src/contract/console/resources.ts';
import { REACHES } from '../../../src/contract/values.ts';
import { call } from '../api.ts';
import { Empty, Page } from '../components/page.tsx';
import { Of } from '../components/of.tsx';
import { ConfirmButton, FormDialog } from '../components/dialogs.tsx';
import { useData } from '../hooks/use-data.ts';

export function Channels() {
	const { data, error } = useData('GET /channels');
	const { data: devices } = useData('GET /devices');
	const [isCreating, setIsCreating] = useState(false);
	return (
		<Page
			title="Channels"
			about="Groups of people and phones a workflow can send to by name."
			error={error}
			action={
				<Button leftSection={<IconPlus size={16} />} onClick={() => setIsCreating(true)}>
					New channel
				</Button>
			}
		>
			{data?.length === 0 && (
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
				{data?.map((channel) => (
					<ChannelCard key={channel.slug} channel={channel} devices={devices} />
				))}
			</div>
			<NewChannel opened={isCreating} onClose={() => setIsCreating(false)} />
		</Page>
	);
}

function NewChannel({ opened, onClose }: { opened: boolean; onClose: () => void }) {
	const [slug, setSlug] = useState('');
	const [name, setName] = useState('');
	return (
		<FormDialog
			title="New channel"
			opened={opened}
			submit="Create"
			onClose={onClose}
			onSubmit={() => call('POST /channels', { slug, ...(name !== '' && { name }) })}
			onTaken={() => {
				setSlug('');
				setName('');
			}}
		>
			<TextInput
				label="Slug"
				description="Used by workflows: lowercase letters, digits, dashes and underscores. Can’t be changed later."
				value={slug}
				onChange={(event) => setSlug(event.currentTarget.value)}
				data-autofocus
			/>
			<TextInput
				label="Name"
				description="Shown to people. Leave empty to use the slug."
				value={name}
				onChange={(event) => setName(event.currentTarget.value)}
			/>
		</FormDialog>
	);
}

/** The name, with a note for a phone that nothing can wake or reach. */
function nameAndReach({ name, reach }: ConsoleDevice): string {
	const isReachable = reach === 'open' || reach === 'push';
	return isReachable ? name : `${name} (${REACHES[reach]})`;
}

interface ChannelCardProps {
	channel: ConsoleChannel;
	devices: DevicesAnswer | undefined;
}

function ChannelCard({ channel, devices }: ChannelCardProps) {
	const [isEditing, setIsEditing] = useState(false);
	const names = channel.devices.map((id) => {
		const device = devices?.devices.find((one) => one.id === id);
		return device ? nameAndReach(device) : id;
	});
	return (
		<Paper withBorder p="md" component="article" aria-label={channel.name}>
			<Text fw={600}>{channel.name}</Text>
			<Text size="sm" c="dimmed">
				<code>{channel.slug}</code> · reaches {channel.reaches}{' '}
				{channel.reaches === 1 ? 'phone' : 'phones'}
				{channel.only_while_open > 0 && `, ${channel.only_while_open} only while open`}
			</Text>
			<dl className="facts">
				<dt>People</dt>
				<dd>{channel.users.join(', ') || 'None'}</dd>
				<dt>Phones</dt>
				<dd>{names.join(', ') || 'None'}</dd>
			</dl>
			<Group gap="xs" mt="sm">
				<Button size="compact-sm" variant="light" onClick={() => setIsEditing(true)}>
					Change
					<Of name={channel.name} />
				</Button>
				<ConfirmButton
					label="Delete"
					of={channel.name}
					question={`Delete ${channel.name}?`}
					onConfirm={() => call('DELETE /channels/:slug', channel.slug)}
				>
					Requests to <code>{channel.slug}</code> will be refused.
				</ConfirmButton>
			</Group>
			{isEditing && devices && (
				<ChangeChannel channel={channel} devices={devices} onClose={() => setIsEditing(false)} />
			)}
		</Paper>
	);
}

function ChangeChannel({
	channel,
	devices,
	onClose,
}: ChannelCardProps & { devices: DevicesAnswer; onClose: () => void }) {
	const [name, setName] = useState(channel.name);
	const [users, setUsers] = useState(channel.users);
	const [ids, setIds] = useState(channel.devices);
	return (
		<FormDialog
			title={`Change ${channel.name}`}
			opened
			submit="Save"
			onClose={onClose}
			onSubmit={() => call('PUT /channels/:slug', channel.slug, { name, users, devices: ids })}
		>
			<TextInput
				label="Name"
				value={name}
				onChange={(event) => setName(event.currentTarget.value)}
			/>
			<MultiSelect
				label="People, with all of their phones"
				data={devices.users}
				value={users}
				onChange={setUsers}
			/>
			<MultiSelect
				label="Single phones"
				data={devices.devices.map((device) => ({
					value: device.id,
					label: `${nameAndReach(device)} · ${device.user}`,
				}))}
				value={ids}
				onChange={setIds}
			/>
		</FormDialog>
	);
}
