import {
	PasswordInput,
	type PasswordInputProps,
	TextInput,
	type TextInputProps,
} from '@mantine/core';
import type { SyntheticEvent } from 'react';

/** The props of a text field: its value, and a function that is called with each change. */
export function typed(value: string, onType: (value: string) => void) {
	return {
		value,
		onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
			onType(currentTarget.value),
	};
}

/** The prop of a form: a handler that sends it in place of the browser. */
export function submitted(send: () => unknown) {
	return (event: SyntheticEvent) => {
		event.preventDefault();
		void send();
	};
}

/** The name of a new or a renamed thing, which must have one. */
export function NameField(props: TextInputProps) {
	return <TextInput label="Name" required withAsterisk={false} data-autofocus {...props} />;
}

/** @param shows what its button shows, such as "your password" */
export function PasswordField({ shows, ...props }: PasswordInputProps & { shows: string }) {
	return (
		<PasswordInput {...props} visibilityToggleButtonProps={{ 'aria-label': `Show ${shows}` }} />
	);
}

export const NEW_PASSWORD = {
	description: 'At least 12 characters. A few words are easy to remember.',
	autoComplete: 'new-password',
};

/** More choices than this are found by typing a part of the name. */
const SEEN = 10;

/** Choices shown at once. */
const SHOWN = 50;

/** For a list with any number of choices. */
export function manyChoices(count: number): { searchable: boolean; limit: number } {
	return { searchable: count > SEEN, limit: SHOWN };
}
