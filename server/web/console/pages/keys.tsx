import { Alert, Button, Modal, MultiSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type {
	ConsoleChannel,
	ConsoleKey,
	NewKeyAnswer,
} from '../../../src/contract/console/things.ts';
import { api } from '../api.ts';
import { Ago, CopyText, Empty, Page } from '../components/bits.tsx';
import { ConfirmButton, FormDialog } from '../components/dialogs.tsx';
import { ListTable } from '../components/list-table.tsx';
import { useData } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';

export function Keys() {
	const { data, error } = useData<ConsoleKey[]>('/keys');
	const { isOwner, origin } = useSession();
	const [isCreating, setIsCreating] = useState(false);
	const [created, setCreated] = useState<NewKeyAnswer>();
	const usable = data?.filter((key) => key.revoked_at === null) ?? [];
	return (
		<Page
			title="API keys"
			about="What a workflow proves itself with. A key can be restricted to channels."
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
			{data && data.length > 0 && <KeyTable keys={data} canRevoke={isOwner} />}
			<NewKey opened={isCreating} onClose={() => setIsCreating(false)} onCreated={setCreated} />
			<Modal
				opened={created !== undefined}
				onClose={() => setCreated(undefined)}
				title={`The key ${created?.name ?? ''}`}
				closeButtonProps={{ 'aria-label': 'Close' }}
			>
				{created && (
					<Stack>
						<Alert color="yellow">
							Keep it now. Only its fingerprint is stored, and it is not shown again.
						</Alert>
						<CopyText value={created.key} label="Copy the key" />
						<Text size="sm">Base URL for the credential</Text>
						<CopyText value={`${origin}/api`} label="Copy the base URL" />
					</Stack>
				)}
			</Modal>
		</Page>
	);
}

function KeyTable({ keys, canRevoke }: { keys: ConsoleKey[]; canRevoke: boolean }) {
	return (
		<ListTable columns={['Name', 'Key', 'Reaches', 'Last used']} hasActions>
			{keys.map((key) => (
				<Table.Tr key={key.id} data-gone={key.revoked_at !== null}>
					<Table.Td>{key.name}</Table.Td>
					<Table.Td>
						<code>bk_…{key.last_four}</code>
					</Table.Td>
					<Table.Td>{key.channels?.join(', ') ?? 'every phone'}</Table.Td>
					<Table.Td>
						<Ago at={key.last_used_at} />
					</Table.Td>
					<Table.Td ta="right">
						{key.revoked_at !== null ? (
							'revoked'
						) : canRevoke ? (
							<ConfirmButton
								label="Revoke"
								question={`Revoke the key ${key.name}?`}
								onConfirm={() => api.delete(`/keys/${key.id}`)}
							>
								Workflows that use it are refused at once, and for good.
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
	const { data: channels } = useData<ConsoleChannel[]>('/channels');
	const [name, setName] = useState('');
	const [slugs, setSlugs] = useState<string[]>([]);
	const create = async () => {
		const key = await api.post<NewKeyAnswer>('/keys', {
			name,
			...(slugs.length > 0 && { channels: slugs }),
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
			}}
		>
			<TextInput
				label="Name"
				description="What it is for, such as the workflow that uses it"
				value={name}
				onChange={(event) => setName(event.currentTarget.value)}
				data-autofocus
			/>
			<MultiSelect
				label="Only these channels"
				description="Left empty, the key reaches every phone of the account"
				data={channels?.map((channel) => ({ value: channel.slug, label: channel.name })) ?? []}
				value={slugs}
				onChange={setSlugs}
			/>
		</FormDialog>
	);
}
