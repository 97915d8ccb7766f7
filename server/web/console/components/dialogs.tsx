import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type SyntheticEvent, type ReactNode, useState } from 'react';
import { useAction } from '../hooks/use-action.ts';
import { Of } from './of.tsx';
import { Problem } from './page.tsx';

interface FormDialogProps {
	title: string;
	opened: boolean;
	submit: string;
	onClose: () => void;
	onSubmit: () => Promise<unknown>;
	/** Called once the server accepts the form, to clear its fields. */
	onTaken?: () => void;
	children: ReactNode;
}

/** A form in a dialog: closes once the server accepts it, and otherwise stays with its contents. */
export function FormDialog({
	title,
	opened,
	submit,
	onClose,
	onSubmit,
	onTaken,
	children,
}: FormDialogProps) {
	const action = useAction(onSubmit);
	const close = () => {
		action.reset();
		onClose();
	};
	const send = async (event: SyntheticEvent) => {
		event.preventDefault();
		if ((await action.run()) === undefined) return;
		close();
		onTaken?.();
	};
	return (
		<Modal
			opened={opened}
			onClose={close}
			title={title}
			closeButtonProps={{ 'aria-label': 'Close' }}
		>
			<form onSubmit={(event) => void send(event)}>
				<Stack>
					{children}
					<Problem message={action.error} />
					<Group justify="flex-end">
						<Button variant="default" onClick={close}>
							Cancel
						</Button>
						<Button type="submit" loading={action.isRunning}>
							{submit}
						</Button>
					</Group>
				</Stack>
			</form>
		</Modal>
	);
}

interface RenameProps {
	/** The current name. */
	current: string;
	onClose: () => void;
	onRename: (name: string) => Promise<unknown>;
}

/** Mount it to open it: a closed dialog in each row of a long list would slow the page down. */
export function RenameDialog({ current, onClose, onRename }: RenameProps) {
	const [name, setName] = useState(current);
	return (
		<FormDialog
			title={`Rename ${current}`}
			opened
			submit="Rename"
			onClose={onClose}
			onSubmit={() => onRename(name)}
		>
			<TextInput
				label="Name"
				value={name}
				onChange={(event) => setName(event.currentTarget.value)}
				required
				withAsterisk={false}
				data-autofocus
			/>
		</FormDialog>
	);
}

interface ConfirmProps {
	/** The text of the button and the dialog, such as "Revoke". */
	label: string;
	/** What it acts on. */
	of: string;
	question: string;
	onConfirm: () => Promise<unknown>;
	children: ReactNode;
	variant?: string;
}

/** A button that asks for confirmation first, for actions that cannot be undone. */
export function ConfirmButton({
	label,
	of,
	question,
	onConfirm,
	children,
	variant = 'subtle',
}: ConfirmProps) {
	const [isOpen, setIsOpen] = useState(false);
	const action = useAction(onConfirm);
	const close = () => {
		action.reset();
		setIsOpen(false);
	};
	const confirm = async () => {
		if ((await action.run()) !== undefined) close();
	};
	return (
		<>
			<Button color="red" variant={variant} size="compact-sm" onClick={() => setIsOpen(true)}>
				{label}
				<Of name={of} />
			</Button>
			{/* A closed dialog in each row of a long list would slow the page down. */}
			{isOpen && (
				<Modal opened onClose={close} title={question} closeButtonProps={{ 'aria-label': 'Close' }}>
					<Stack>
						<Text component="div">{children}</Text>
						<Problem message={action.error} />
						<Group justify="flex-end">
							<Button variant="default" onClick={close} data-autofocus>
								Cancel
							</Button>
							<Button color="red" loading={action.isRunning} onClick={() => void confirm()}>
								{label}
							</Button>
						</Group>
					</Stack>
				</Modal>
			)}
		</>
	);
}
