import { Button, Select, type SelectProps, TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { typed } from './fields.tsx';
import { Empty } from './page.tsx';

interface SearchProps extends Pick<TextInputProps, 'className' | 'label' | 'placeholder'> {
	value: string;
	onChange: (words: string) => void;
}

/** The field of a list's search, to which a key goes (keys.tsx). */
export function SearchField({ value, onChange, ...props }: SearchProps) {
	return (
		<TextInput
			label="Search"
			leftSection={<IconSearch size={16} />}
			{...props}
			{...typed(value, onChange)}
		/>
	);
}

interface ChoiceFilterProps extends SelectProps {
	/** The name of the button that clears it, such as "All kinds". */
	all: string;
	/** Empty: all of them. */
	value: string;
}

/** A filter of a list by one of some values. */
export function ChoiceFilter({ all, value, ...props }: ChoiceFilterProps) {
	return (
		<Select
			placeholder="All"
			clearable
			clearButtonProps={{ 'aria-label': all }}
			value={value || null}
			{...props}
		/>
	);
}

/** Shown instead of a list in which nothing was found. */
export function NoMatches({ icon, onClear }: { icon: ReactNode; onClear: () => void }) {
	return (
		<Empty
			icon={icon}
			title="No matches"
			action={
				<Button variant="light" onClick={onClear}>
					Clear the filters
				</Button>
			}
		>
			Results match every filter.
		</Empty>
	);
}
