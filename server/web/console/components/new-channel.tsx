import { MultiSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api.ts';
import { useSetting } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';
import { manyChoices, typed } from './fields.tsx';

const SLUG_LENGTH = 64;

/** A slug from a name: "Büro Süd" becomes `buro-sud`. */
export function toSlug(name: string): string {
	const letters = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
	const words = letters.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+/g, '');
	return words.slice(0, SLUG_LENGTH).replace(/-+$/, '');
}

/** A channel that is about to be created: the fields as filled in so far. */
export function useNewChannel() {
	const { member } = useSession();
	const [name, setName] = useState('');
	const [ownSlug, setOwnSlug] = useState<string>();
	const [chosen, setChosen] = useState<string[]>();
	const slug = ownSlug ?? toSlug(name);
	const users = chosen ?? (member.user === null ? [] : [member.user]);
	return {
		name,
		setName,
		slug,
		setSlug: setOwnSlug,
		users,
		setUsers: setChosen,
		create: () => call('POST /channels', { slug, ...(name !== '' && { name }), users }),
		clear: () => {
			setName('');
			setOwnSlug(undefined);
			setChosen(undefined);
		},
	};
}

type NewChannelProps = Omit<ReturnType<typeof useNewChannel>, 'create' | 'clear'> & {
	/** The label of the name, if the form also names something else. */
	label?: string;
};

export function PeopleField(props: { value: string[]; onChange: (names: string[]) => void }) {
	const { data: people = [] } = useSetting('GET /user-names');
	return (
		<MultiSelect
			label="People, with all of their phones"
			data={people.map(({ name }) => name)}
			{...manyChoices(people.length)}
			{...props}
		/>
	);
}

/** Name, slug and people of a new channel. Without a person it reaches no phone, so its creator is in it. */
export function NewChannelFields({ label = 'Name', ...channel }: NewChannelProps) {
	return (
		<>
			<TextInput
				label={label}
				description="Shown to people, such as “On call”."
				{...typed(channel.name, channel.setName)}
				data-autofocus={label === 'Name' || undefined}
			/>
			<TextInput
				label="Slug"
				description="Used by workflows: lowercase letters, digits, dashes and underscores. Can’t be changed later."
				{...typed(channel.slug, channel.setSlug)}
			/>
			<PeopleField value={channel.users} onChange={channel.setUsers} />
		</>
	);
}
