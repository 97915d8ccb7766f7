import { Button, Group, Select, Table, Text, Title } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { PER_PAGE } from '../../../src/contract/values.ts';
import type { ConsolePerson } from '../../../src/contract/console/resources.ts';
import { call } from '../api.ts';
import { useAddress } from '../hooks/use-address.ts';
import { useData, useSetting } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';
import { manyChoices, NameField, typed } from './fields.tsx';
import { SmallButton } from './of.tsx';
import { Problem } from './page.tsx';
import { ConfirmButton, FormDialog, RenameDialog } from './dialogs.tsx';
import { ListTable } from './list-table.tsx';
import { Pager } from './pager.tsx';
import { NoMatches, SearchField } from './search.tsx';
import { Selectable, SelectBox } from './selection.tsx';

const NO_SEARCH = { search: '', page: '' };

/** The people who have phones, or will. Owners rename, merge and remove them. */
export function PeopleWithPhones() {
	const { values, settled, field, clear, hrefTo } = useAddress(NO_SEARCH);
	const { data, error } = useData('GET /users', { ...settled, page: settled.page || '1' });
	const [isAdding, setIsAdding] = useState(false);
	const { people = [], total = 0, of = 0, page = 1 } = data ?? {};
	const { isOwner } = useSession();
	return (
		<section aria-labelledby="people">
			<Group justify="space-between" mb="sm">
				<Title order={2} size="h4" id="people">
					People with phones
				</Title>
				<Button variant="default" onClick={() => setIsAdding(true)}>
					Add a person
				</Button>
			</Group>
			<Problem message={error} />
			{(of > PER_PAGE || values.search !== '') && (
				<search className="filters">
					<SearchField placeholder="Name" {...field('search')} />
				</search>
			)}
			<Selectable
				of={['person', 'people']}
				shown={people.map(({ id }) => id)}
				channels="users"
				verb={isOwner ? 'Remove' : undefined}
				act={(id) => call('DELETE /users/:id', id)}
				consequence={WHEN_REMOVED}
			>
				{of > 0 && total === 0 ? (
					<NoMatches icon={<IconUsers size={28} />} onClear={clear} />
				) : (
					<ListTable label="People" columns={['Name', 'Phones', 'Channels']} hasActions>
						{people.map((person) => (
							<PersonRow key={person.id} person={person} isOnly={of === 1} />
						))}
					</ListTable>
				)}
			</Selectable>
			<Pager of="people" page={page} total={total} hrefTo={hrefTo} />
			<AddPerson opened={isAdding} onClose={() => setIsAdding(false)} />
		</section>
	);
}

function AddPerson({ opened, onClose }: { opened: boolean; onClose: () => void }) {
	const [name, setName] = useState('');
	return (
		<FormDialog
			title="Add a person"
			opened={opened}
			submit="Add"
			onClose={onClose}
			onSubmit={() => call('POST /users', { name })}
			onTaken={() => setName('')}
		>
			<NameField
				description="Add a person to a channel to reach all their phones."
				{...typed(name, setName)}
			/>
		</FormDialog>
	);
}

const WHEN_REMOVED = 'Their phones are disconnected and removed too. The history is kept.';

function PersonRow({ person, isOnly }: { person: ConsolePerson; isOnly: boolean }) {
	const { isOwner } = useSession();
	const [dialog, setDialog] = useState<'rename' | 'merge'>();
	const close = () => setDialog(undefined);
	return (
		<Table.Tr>
			<Table.Td>
				<Group gap="xs" wrap="nowrap">
					<SelectBox ids={[person.id]} name={person.name} />
					<div>
						<Text size="sm">{person.name}</Text>
						{person.member !== null && (
							<Text size="xs" c="dimmed">
								Signs in as {person.member}
							</Text>
						)}
					</div>
				</Group>
			</Table.Td>
			<Table.Td>
				{person.phones > 0 ? (
					<a href={`#/devices?search=${encodeURIComponent(person.name)}`}>{person.phones}</a>
				) : (
					0
				)}
			</Table.Td>
			<Table.Td>{person.channels.join(', ') || 'None'}</Table.Td>
			<Table.Td>
				{isOwner && (
					<Group gap="xs" justify="flex-end">
						<SmallButton text="Rename" of={person.name} onClick={() => setDialog('rename')} />
						{person.member === null && (
							<>
								{!isOnly && (
									<SmallButton text="Merge" of={person.name} onClick={() => setDialog('merge')} />
								)}
								<ConfirmButton
									label="Remove"
									of={person.name}
									question={`Remove ${person.name}?`}
									onConfirm={() => call('DELETE /users/:id', person.id)}
								>
									{WHEN_REMOVED}
								</ConfirmButton>
							</>
						)}
					</Group>
				)}
				{dialog === 'rename' && (
					<RenameDialog
						current={person.name}
						onClose={close}
						onRename={(name) => call('PUT /users/:id', person.id, { name })}
					/>
				)}
				{dialog === 'merge' && <Merge person={person} onClose={close} />}
			</Table.Td>
		</Table.Tr>
	);
}

function Merge({ person, onClose }: { person: ConsolePerson; onClose: () => void }) {
	const { data: people } = useSetting('GET /user-names');
	const choices = (people ?? []).filter(({ id }) => id !== person.id);
	const [into, setInto] = useState<string | null>(null);
	const other = choices.find(({ id }) => id === into);
	return (
		<FormDialog
			title={`Merge ${person.name} into another person`}
			opened={people !== undefined}
			submit="Merge"
			isReady={into !== null}
			onClose={onClose}
			onSubmit={() => call('POST /users/:id/merge', person.id, { into: into ?? '' })}
		>
			<Text size="sm">
				For a person who is listed twice. The phones and channels of {person.name} move to the other
				one, and {person.name} is removed.
			</Text>
			<Select
				label="Same person as"
				data={choices.map(({ id, name }) => ({ value: id, label: name }))}
				placeholder="Choose a person"
				value={into}
				{...manyChoices(choices.length)}
				onChange={setInto}
			/>
			{[person, ...(other ? [other] : [])].map((one) => (
				<PhonesOf key={one.id} person={one} />
			))}
		</FormDialog>
	);
}

function PhonesOf({ person: { id, name } }: { person: Pick<ConsolePerson, 'id' | 'name'> }) {
	const { data, error } = useData('GET /users/:id/phones', id);
	const phones = data?.map((phone) => phone.name).join(', ');
	return (
		<>
			<Text size="sm" role="status">
				{name}: {phones === '' ? 'no phone' : phones}
			</Text>
			<Problem message={error} />
		</>
	);
}
