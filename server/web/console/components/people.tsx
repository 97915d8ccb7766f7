import { Button, Group, Select, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { ConsolePerson } from '../../../src/contract/console/resources.ts';
import { call } from '../api.ts';
import { useAddress } from '../hooks/use-address.ts';
import { useData } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';
import { Of } from './of.tsx';
import { Problem } from './page.tsx';
import { ConfirmButton, FormDialog, RenameDialog } from './dialogs.tsx';
import { ListTable } from './list-table.tsx';
import { Pager } from './pager.tsx';

const NO_PAGE = { people: '' };

const PER_PAGE = 25;

/** The people who have phones. Owners rename, merge and remove them. */
export function People() {
	const { data = [], error } = useData('GET /users');
	const { settled, hrefTo } = useAddress(NO_PAGE);
	const last = Math.max(1, Math.ceil(data.length / PER_PAGE));
	const page = Math.min(Math.max(1, Number.parseInt(settled.people, 10) || 1), last);
	const shown = data.slice((page - 1) * PER_PAGE, page * PER_PAGE);
	return (
		<section aria-labelledby="people">
			<Title order={2} size="h3" id="people" mt="xl" mb="sm">
				People
			</Title>
			<Problem message={error} />
			<ListTable label="People" columns={['Name', 'Phones', 'Channels']} hasActions>
				{shown.map((person) => (
					<PersonRow key={person.id} person={person} others={data} />
				))}
			</ListTable>
			<Pager
				of="people"
				page={page}
				perPage={PER_PAGE}
				total={data.length}
				hrefTo={(people) => hrefTo({ people })}
			/>
		</section>
	);
}

interface PersonProps {
	person: ConsolePerson;
	others: ConsolePerson[];
}

function PersonRow({ person, others }: PersonProps) {
	const { isOwner } = useSession();
	const [dialog, setDialog] = useState<'rename' | 'merge'>();
	const close = () => setDialog(undefined);
	return (
		<Table.Tr>
			<Table.Td>
				<Text size="sm">{person.name}</Text>
				{person.member !== null && (
					<Text size="xs" c="dimmed">
						Signs in as {person.member}
					</Text>
				)}
			</Table.Td>
			<Table.Td>{person.phones}</Table.Td>
			<Table.Td>{person.channels.join(', ') || 'None'}</Table.Td>
			<Table.Td>
				{isOwner && (
					<Group gap="xs" justify="flex-end">
						<Button size="compact-sm" variant="subtle" onClick={() => setDialog('rename')}>
							Rename
							<Of name={person.name} />
						</Button>
						{person.member === null && (
							<>
								{others.length > 1 && (
									<Button size="compact-sm" variant="subtle" onClick={() => setDialog('merge')}>
										Merge
										<Of name={person.name} />
									</Button>
								)}
								<ConfirmButton
									label="Remove"
									of={person.name}
									question={`Remove ${person.name}?`}
									onConfirm={() => call('DELETE /users/:id', person.id)}
								>
									Their phones are disconnected and removed too. The history is kept.
								</ConfirmButton>
							</>
						)}
					</Group>
				)}
				<RenameDialog
					current={person.name}
					opened={dialog === 'rename'}
					onClose={close}
					onRename={(name) => call('PUT /users/:id', person.id, { name })}
				/>
				<Merge person={person} others={others} opened={dialog === 'merge'} onClose={close} />
			</Table.Td>
		</Table.Tr>
	);
}

interface MergeProps extends PersonProps {
	opened: boolean;
	onClose: () => void;
}

function Merge({ person, others, opened, onClose }: MergeProps) {
	const choices = others.filter(({ id }) => id !== person.id);
	const likely = choices.find(({ member }) => member !== null) ?? choices[0];
	const [chosen, setChosen] = useState<string>();
	const into = chosen ?? likely?.id ?? '';
	const close = () => {
		setChosen(undefined);
		onClose();
	};
	return (
		<FormDialog
			title={`Merge ${person.name} into another person`}
			opened={opened}
			submit="Merge"
			onClose={close}
			onSubmit={() => call('POST /users/:id/merge', person.id, { into })}
		>
			<Text size="sm">
				For a person who is listed twice. The phones and channels of {person.name} move to the other
				one, and {person.name} is removed.
			</Text>
			<Select
				label="Same person as"
				data={choices.map(({ id, name }) => ({ value: id, label: name }))}
				value={into}
				allowDeselect={false}
				onChange={(value) => setChosen(value ?? into)}
			/>
		</FormDialog>
	);
}
