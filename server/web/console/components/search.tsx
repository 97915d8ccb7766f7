import { Button, TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Empty } from './page.tsx';

interface SearchProps extends Pick<TextInputProps, 'className' | 'placeholder' | 'value'> {
	onSearch: (words: string) => void;
}

/** The field of a list's search, to which a key goes (keys.tsx). */
export function SearchField({ onSearch, ...props }: SearchProps) {
	return (
		<TextInput
			label="Search"
			leftSection={<IconSearch size={16} />}
			onChange={(event) => onSearch(event.currentTarget.value)}
			{...props}
		/>
	);
}

/** In place of a list in which nothing is found. */
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
