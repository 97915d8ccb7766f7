import {
	Alert,
	Button,
	Checkbox,
	Group,
	Modal,
	MultiSelect,
	Stack,
	Table,
	Text,
} from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import type { ConsoleKey, NewKeyResponse } from '../../../src/contract/console/resources.ts';
import { call } from '../api.ts';
import { senderNames } from '../../../src/contract/values.ts';
import { Ago } from '../components/ago.tsx';
import { KeyOnce } from '../components/copy.tsx';
import { manyChoices, NameField, typed } from '../components/fields.tsx';
import { AddButton, Empty, Page } from '../components/page.tsx';
import { SmallButton } from '../components/of.tsx';
import { ConfirmButton, FormDialog } from '../components/dialogs.tsx';
import { NewChannelFields, useNewChannel } from '../components/new-channel.tsx';
import { ListTable } from '../components/list-table.tsx';
import { Selectable, SelectBox } from '../components/selection.tsx';
import { SenderLines } from '../components/sender-lines.tsx';
import { useTakenValue } from '../hooks/use-address.ts';
import { useData, useSetting } from '../hooks/use-data.ts';
import { NO_KEY } from '../sender-lines.ts';
import { useSession } from '../session.tsx';

export function Keys() {
	const { data, error } = useData('GET /keys');
	const { isOwner, origin } = useSession();
	const [creating, setCreating] = useState('');
	useTakenValue('new', setCreating);
	const [created, setCreated] = useState<NewKeyResponse>();
	const [shown, setShown] = useState<string>();
	const inUse = data?.find(({ id }) => id === shown);
	const usable = data?.filter((key) => key.revoked_at === null) ?? [];
	return (
		<Page
			title="API keys"
			about="Keys your workflows and other programs use to send. A key can be limited to channels."
			error={error}
			isLoading={!data}
			action={isOwner && <AddButton text="New key" onClick={() => setCreating('api')} />}
		>
			{!isOwner && <Text c="dimmed">Only owners can create and revoke keys.</Text>}
			{data && usable.length === 0 && (
				<Empty
					icon={<IconKey size={28} />}
					title="No keys yet"
					action={
						isOwner && <Button onClick={() => setCreating('api')}>Create the first key</Button>
					}
				>
					Enter the key in the credential of your workflow’s Beckon node, with the base URL{' '}
					<code>{origin}/api</code>.
				</Empty>
			)}
			<Selectable
				of={['key']}
				shown={isOwner ? usable.map(({ id }) => id) : []}
				verb="Revoke"
				act={(id) => call('DELETE /keys/:id', id, {})}
				consequence="Programs that use them can no longer send. You can’t undo this."
			>
				{data && data.length > 0 && (
					<ListTable label="API keys" columns={['Name', 'Key', 'Reaches', 'Last used']} hasActions>
						{data.map((key) => (
							<Table.Tr key={key.id} data-gone={key.revoked_at !== null}>
								<Table.Td>
									<Group gap="xs" wrap="nowrap">
										<SelectBox ids={[key.id]} name={key.name} />
										{key.name}
									</Group>
								</Table.Td>
								<Table.Td>
									<code>
										{key.sender ? 'bs_' : 'bk_'}…{key.last_four}
									</code>
								</Table.Td>
								<Table.Td>{key.channels?.join(', ') ?? 'Every phone'}</Table.Td>
								<Table.Td>
									<Ago at={key.last_used_at} />
								</Table.Td>
								<Table.Td ta="right">
									<SmallButton
										text={key.sender ? 'Set up' : 'Requests'}
										of={key.name}
										onClick={() => setShown(key.id)}
									/>
									{key.revoked_at !== null ? (
										<Text span size="sm">
											Revoked
										</Text>
									) : isOwner ? (
										<Revoke apiKey={key} />
									) : null}
								</Table.Td>
							</Table.Tr>
						))}
					</ListTable>
				)}
			</Selectable>
			<NewKey
				kind={isOwner ? creating : ''}
				onClose={() => setCreating('')}
				onCreated={setCreated}
			/>
			<Modal
				opened={created !== undefined}
				onClose={() => setCreated(undefined)}
				title={`Key ${created?.name ?? ''}`}
				size={created?.sender ? 'lg' : 'md'}
			>
				{created && (
					<Stack>
						<KeyOnce value={created.key} isSender={created.sender} />
						{created.sender && (
							<SenderLines value={created.key} channels={created.channels ?? []} />
						)}
					</Stack>
				)}
			</Modal>
			<Modal
				opened={inUse !== undefined}
				onClose={() => setShown(undefined)}
				title={`Key ${inUse?.name ?? ''}`}
				size="lg"
			>
				{inUse && (
					<Stack>
						<Text>
							Last accepted request: <Ago at={inUse.last_accepted_at} />
						</Text>
						<Text>
							Last refused request: <Ago at={inUse.last_refused_at} />
						</Text>
						{inUse.last_refusal !== null && <Alert color="yellow">{inUse.last_refusal}</Alert>}
						{inUse.sender && <SenderLines value={NO_KEY} channels={inUse.channels ?? []} />}
					</Stack>
				)}
			</Modal>
		</Page>
	);
}

function Revoke({ apiKey: key }: { apiKey: ConsoleKey }) {
	const [withdraws, setWithdraws] = useState(false);
	const { open_questions: open } = key;
	return (
		<ConfirmButton
			label="Revoke"
			of={key.name}
			question={`Revoke the key ${key.name}?`}
			onConfirm={() =>
				call('DELETE /keys/:id', key.id, withdraws ? { withdraw_questions: true } : {})
			}
		>
			{key.sender ? 'Programs' : 'Workflows'} that use it can no longer send. You can’t undo this.
			{open > 0 && (
				<Checkbox
					mt="md"
					label={open === 1 ? 'Withdraw its open question' : `Withdraw its ${open} open questions`}
					description="Otherwise people can still answer, but are not reminded."
					checked={withdraws}
					onChange={(event) => setWithdraws(event.currentTarget.checked)}
				/>
			)}
		</ConfirmButton>
	);
}

interface NewKeyProps {
	/** `sender`: for programs other than n8n; empty: closed. */
	kind: string;
	onClose: () => void;
	onCreated: (key: NewKeyResponse) => void;
}

function NewKey({ kind, onClose, onCreated }: NewKeyProps) {
	const { data: channels } = useSetting('GET /channel-names');
	const [name, setName] = useState('');
	const [slugs, setSlugs] = useState<string[]>();
	const [isChosen, setIsChosen] = useState<boolean>();
	const [isMarkdown, setIsMarkdown] = useState(false);
	const isSender = isChosen ?? kind === 'sender';
	const channel = useNewChannel();
	const needsChannel = isSender && channels?.length === 0;
	// A sender key needs a channel: if there is only one, it is that one.
	const chosen =
		slugs ?? (isSender && channels?.length === 1 ? channels.map(({ slug }) => slug) : []);
	const create = async () => {
		if (needsChannel) await channel.create();
		const reached = needsChannel ? [channel.slug] : chosen;
		const key = await call('POST /keys', {
			name,
			...(reached.length > 0 && { channels: reached }),
			...(isSender && { sender: true }),
			...(isMarkdown && { markdown: true }),
		});
		onCreated(key);
		return key;
	};
	return (
		<FormDialog
			title="New API key"
			opened={kind !== ''}
			submit="Create"
			onClose={onClose}
			onSubmit={create}
			onTaken={() => {
				setName('');
				setSlugs(undefined);
				setIsChosen(undefined);
				channel.clear();
				setIsMarkdown(false);
			}}
		>
			<NameField
				description={`For example, the ${isSender ? 'program' : 'workflow'} that will use it`}
				{...typed(name, setName)}
			/>
			<Checkbox
				label="For another program"
				description={`For example ${senderNames('or')}. Not for n8n.`}
				checked={isSender}
				onChange={(event) => setIsChosen(event.currentTarget.checked)}
			/>
			<Checkbox
				label="Messages in Markdown"
				description="Phones show formatted headings, lists and links instead of Markdown characters."
				checked={isMarkdown}
				onChange={(event) => setIsMarkdown(event.currentTarget.checked)}
			/>
			{needsChannel ? (
				<NewChannelFields label="First channel" {...channel} />
			) : (
				<MultiSelect
					label="Channels"
					description={
						isSender
							? 'The key reaches the phones in these channels.'
							: 'It reaches only the phones in these channels. Leave empty to reach every phone.'
					}
					data={channels?.map((one) => ({ value: one.slug, label: one.name })) ?? []}
					{...manyChoices(channels?.length ?? 0)}
					value={chosen}
					onChange={setSlugs}
				/>
			)}
		</FormDialog>
	);
}
