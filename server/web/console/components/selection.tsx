import { Group, Select } from '@mantine/core';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { call, errorMessage } from '../api.ts';
import { counted } from '../channel-words.ts';
import { useSetting } from '../hooks/use-data.ts';
import { ConfirmButton, FormDialog } from './dialogs.tsx';
import { manyChoices } from './fields.tsx';
import { Of, SmallButton } from './of.tsx';

interface Selection {
	/** The rows of this page that can be chosen. */
	shown: readonly string[];
	/** The chosen rows, including those of other pages. */
	ids: readonly string[];
	set: (some: readonly string[], isChosen: boolean) => void;
}

const SelectionContext = createContext<Selection>({ shown: [], ids: [], set: () => undefined });

interface SelectableProps {
	/** What a row is called, with the plural if it takes more than an s. */
	of: [one: string, many?: string];
	/** The ids of this page's rows that can be chosen. */
	shown: readonly string[];
	/** The action on all chosen rows, such as "Revoke", which `act` does to each of them; undefined: there is none. */
	verb?: string | undefined;
	act: (id: string) => Promise<unknown>;
	/** What the action leads to, for the confirmation. */
	consequence: string;
	/** How they are added to channels; undefined: not at all. */
	channels?: 'users' | 'devices' | undefined;
	/** The list, with a `SelectBox` in each row. */
	children: ReactNode;
}

/** A list in which any number of rows can be chosen, on all of its pages, for one action. */
export function Selectable({
	of,
	shown,
	verb,
	act,
	consequence,
	channels,
	children,
}: SelectableProps) {
	const [ids, setIds] = useState<readonly string[]>([]);
	const set = (some: readonly string[], isChosen: boolean) =>
		setIds((all) => [...all.filter((id) => !some.includes(id)), ...(isChosen ? some : [])]);
	const words = counted(ids.length, ...of);
	// Finished rows are deselected, so that a retry continues with the rest.
	const actOnEach = async () => {
		const failures: string[] = [];
		for (const id of ids)
			await act(id).then(
				() => set([id], false),
				(error: unknown) => failures.push(errorMessage(error)),
			);
		if (failures.length > 0) throw new Error(`${failures.length} failed. ${failures[0]}`);
		return true;
	};
	return (
		<SelectionContext value={{ shown, ids, set }}>
			{(shown.length > 1 || ids.length > 0) && (
				<Group className="selection" gap="xs" role="group" aria-label="Selection">
					<SelectBox ids={shown} />
					{ids.length > 0 && (
						<>
							{channels &&
								(['Add', 'Take'] as const).map((way) => (
									<ChannelChange key={way} way={way} words={words} part={channels} chosen={ids} />
								))}
							{verb !== undefined && (
								<ConfirmButton
									label={`${verb} ${words}`}
									question={`${verb} ${words}?`}
									onConfirm={actOnEach}
								>
									{consequence}
								</ConfirmButton>
							)}
							<SmallButton text="Clear the selection" onClick={() => setIds([])} />
						</>
					)}
				</Group>
			)}
			{children}
		</SelectionContext>
	);
}

interface SelectBoxProps {
	/** The id of a row, or the ids of a page; rows that cannot be chosen get no box. */
	ids: readonly string[];
	/** The row's name. */
	name?: string;
}

export function SelectBox({ ids, name }: SelectBoxProps) {
	const { shown, ids: chosen, set } = useContext(SelectionContext);
	const count = ids.filter((id) => chosen.includes(id)).length;
	if (!ids.some((id) => shown.includes(id))) return null;
	return (
		<label className="select">
			<input
				type="checkbox"
				checked={count === ids.length}
				ref={(box) => {
					if (box) box.indeterminate = count > 0 && count < ids.length;
				}}
				onChange={({ currentTarget }) => set(ids, currentTarget.checked)}
			/>
			{name === undefined ? 'Select all on this page' : <Of name={`Select ${name}`} />}
		</label>
	);
}

interface ChannelChangeProps {
	way: 'Add' | 'Take';
	/** Such as "3 phones". */
	words: string;
	part: 'users' | 'devices';
	chosen: readonly string[];
}

/** Adds the chosen rows to a channel, or removes them from one. */
function ChannelChange({ way, words, part, chosen }: ChannelChangeProps) {
	const { data: channels = [] } = useSetting('GET /channel-names');
	const { data: people = [] } = useSetting('GET /user-names');
	const [isOpen, setIsOpen] = useState(false);
	const [slug, setSlug] = useState<string | null>(null);
	const isPeople = part === 'users';
	const title = `${way} ${words} ${way === 'Add' ? 'to' : 'from'} a channel`;
	const change = async () => {
		const { users, devices } = await call('GET /channels/:slug', slug ?? '');
		// A channel has people by their names.
		const named = people.filter(({ id }) => chosen.includes(id)).map(({ name }) => name);
		const members = isPeople ? named : chosen;
		const inside = isPeople ? users : devices.map(({ id }) => id);
		const others = inside.filter((one) => !members.includes(one));
		const changed = way === 'Add' ? [...others, ...members] : others;
		return call('PUT /channels/:slug', slug ?? '', { [part]: changed });
	};
	return (
		<>
			<SmallButton text={title} variant="light" onClick={() => setIsOpen(true)} />
			<FormDialog
				title={title}
				opened={isOpen}
				submit={`${way} ${words}`}
				isReady={slug !== null}
				onClose={() => setIsOpen(false)}
				onSubmit={change}
			>
				<Select
					label="Channel"
					description={
						way === 'Take' && !isPeople && 'It still reaches the phones of the people in it.'
					}
					data={channels.map(({ slug: value, name: label }) => ({ value, label }))}
					{...manyChoices(channels.length)}
					value={slug}
					onChange={setSlug}
				/>
			</FormDialog>
		</>
	);
}
