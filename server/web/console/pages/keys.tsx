import {
	Alert,
	Button,
	Checkbox,
	Modal,
	MultiSelect,
	Stack,
	Table,
	Text,
	TextInput,
} from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type {
	ConsoleChannel,
	ConsoleKey,
	NewKeyAnswer,
} from '../../../src/contract/console/resources.ts';
import { api } from '../api.ts';
import { Ago, CopyText, Empty, Page } from '../components/bits.tsx';
import { ConfirmButton, FormDialog } from '../components/dialogs.tsx';
import { ListTable } from '../components/list-table.tsx';
import { SenderLines } from '../components/sender-lines.tsx';
import { useData } from '../hooks/use-data.ts';
import { NO_KEY } from '../sender-lines.ts';
import { useSession } from '../session.tsx';

export function Keys() {
	const { data, error } = useData<ConsoleKey[]>('/keys');
	const { isOwner, origin } = useSession();
	const [isCreating, setIsCreating] = useState(false);
	const [created, setCreated] = useState<NewKeyAnswer>();
	const [shown, setShown] = useState<string>();
	const sender = data?.find(({ id }) => id === shown);
	const usable = data?.filter((key) => key.revoked_at === null) ?? [];
	return (
		<Page
			title="API keys"
			about="What a workflow, or another program that sends, proves itself with. A key can be restricted to channels."
			error={error}
			action={
				isOwner && (
					<Button leftSection={<IconPlus size={16} />} onClick={() => setIsCreating(true)}>
						New key
					</Button>
				)
			}
		>
			{!isOwner && <Text c="dimmed">Only an owner makes and revokes keys.</Text>}
			{data && usable.length === 0 && (
				<Empty icon={<IconKey size={28} />} title="There is no key yet">
					Make one and put it into the credential of your workflow’s Beckon node, together with the
					address <code>{origin}/api</code>.
				</Empty>
			)}
			{data && data.length > 0 && <KeyTable keys={data} canRevoke={isOwner} onShow={setShown} />}
			<NewKey opened={isCreating} onClose={() => setIsCreating(false)} onCreated={setCreated} />
			<Modal
				opened={created !== undefined}
				onClose={() => setCreated(undefined)}
				title={`The key ${created?.name ?? ''}`}
				closeButtonProps={{ 'aria-label': 'Close' }}
				size={created?.sender ? 'lg' : 'md'}
			>
				{created && (
					<Stack>
						<Alert color="yellow">
							Keep it now. Only its fingerprint is stored, and it is not shown again.
						</Alert>
						<CopyText value={created.key} label="Copy the key" />
						{created.sender ? (
							<SenderLines value={created.key} channels={created.channels ?? []} />
						) : (
							<>
								<Text size="sm">Base URL for the credential</Text>
								<CopyText value={`${origin}/api`} label="Copy the base URL" />
							</>
						)}
					</Stack>
				)}
			</Modal>
			<Modal
				opened={sender !== undefined}
				onClose={() => setShown(undefined)}
				title={`The sender key ${sender?.name ?? ''}`}
				closeButtonProps={{ 'aria-label': 'Close' }}
				size="lg"
			>
				{sender?.sender && (
					<Stack>
						<Text>
							Last accepted request: <Ago at={sender.sender.last_accepted_at} />
						</Text>
						<Text>
							Last refused request: <Ago at={sender.sender.last_refused_at} />
						</Text>
						{sender.sender.last_refusal !== null && (
							<Alert color="yellow">{sender.sender.last_refusal}</Alert>
						)}
						<SenderLines value={NO_KEY} channels={sender.channels ?? []} />
					</Stack>
				)}
			</Modal>
		</Page>
	);
}

interface KeyTableProps {
	keys: ConsoleKey[];
	canRevoke: boolean;
	/** Shows the details of a sender key. */
	onShow: (id: string) => void;
}

function KeyTable({ keys, canRevoke, onShow }: KeyTableProps) {
	return (
		<ListTable columns={['Name', 'Key', 'Reaches', 'Last used']} hasActions>
			{keys.map((key) => (
				<Table.Tr key={key.id} data-gone={key.revoked_at !== null}>
					<Table.Td>{key.name}</Table.Td>
					<Table.Td>
						<code>
							{key.sender ? 'bs_' : 'bk_'}…{key.last_four}
						</code>
					</Table.Td>
					<Table.Td>{key.channels?.join(', ') ?? 'every phone'}</Table.Td>
					<Table.Td>
						<Ago at={key.last_used_at} />
					</Table.Td>
					<Table.Td ta="right">
						{key.sender && key.revoked_at === null && (
							<Button variant="subtle" size="compact-sm" onClick={() => onShow(key.id)}>
								Set up
							</Button>
						)}
						{key.revoked_at !== null ? (
							'revoked'
						) : canRevoke ? (
							<ConfirmButton
								label="Revoke"
								question={`Revoke the key ${key.name}?`}
								onConfirm={() => api.delete(`/keys/${key.id}`)}
							>
								{key.sender ? 'Programs' : 'Workflows'} that use it are refused at once, and for
								good.
							</ConfirmButton>
						) : null}
					</Table.Td>
				</Table.Tr>
			))}
		</ListTable>
	);
}

interface NewKeyProps {
	opened: boolean;
	onClose: () => void;
	onCreated: (key: NewKeyAnswer) => void;
}

function NewKey({ opened, onClose, onCreated }: NewKeyProps) {
	const { data: channels } = useData<ConsoleChannel[]>('/channels', { isSetting: true });
	const [name, setName] = useState('');
	const [slugs, setSlugs] = useState<string[]>([]);
	const [isSender, setIsSender] = useState(false);
	const create = async () => {
		const key = await api.post<NewKeyAnswer>('/keys', {
			name,
			...(slugs.length > 0 && { channels: slugs }),
			...(isSender && { sender: true }),
		});
		onCreated(key);
		return key;
	};
	return (
		<FormDialog
			title="New API key"
			opened={opened}
			submit="Create"
			onClose={onClose}
			onSubmit={create}
			onTaken={() => {
				setName('');
				setSlugs([]);
				setIsSender(false);
			}}
		>
			<TextInput
				label="Name"
				description="What it is for, such as the workflow that uses it"
				value={name}
				onChange={(event) => setName(event.currentTarget.value)}
				data-autofocus
			/>
			<Checkbox
				label="For another program"
				description="One that speaks ntfy or gotify, Alertmanager or Grafana; not for n8n"
				checked={isSender}
				onChange={(event) => setIsSender(event.currentTarget.checked)}
			/>
			<MultiSelect
				label={isSender ? 'Its channels' : 'Only these channels'}
				description={
					isSender
						? 'The key reaches the phones in these'
						: 'Left empty, the key reaches every phone of the account'
				}
				data={channels?.map((channel) => ({ value: channel.slug, label: channel.name })) ?? []}
				value={slugs}
				onChange={setSlugs}
			/>
		</FormDialog>
	);
}
