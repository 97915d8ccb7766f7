import { Button, type ButtonProps } from '@mantine/core';

/** Names what a button acts on, for screen readers: many buttons have the same text. */
export function Of({ name }: { name: string }) {
	return <span className="visually-hidden"> {name}</span>;
}

interface SmallButtonProps extends ButtonProps {
	text: string;
	/** What it acts on, if the text does not say. */
	of?: string | undefined;
	onClick: () => void;
}

/** A button in a row or a card of a list. */
export function SmallButton({ text, of, ...props }: SmallButtonProps) {
	return (
		<Button size="compact-sm" variant="subtle" {...props}>
			{text}
			{of !== undefined && <Of name={of} />}
		</Button>
	);
}
