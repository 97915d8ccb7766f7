import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useAction } from '../hooks/use-action.ts';
import { NameField, submitted, typed } from './fields.tsx';
import { Of, SmallButton } from './of.tsx';
import { Problem } from './page.tsx';
import { inPhones } from '../channel-words.ts';

interface FormDialogProps {
	title: string;
	opened: boolean;
	submit: string;
	/** False while something is missing for which browsers do not check. */
	isReady?: boolean;
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
	isReady = true,
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
	const send = async () => {
		if ((await action.run()) === undefined) return;
		close();
		onTaken?.();
	};
	return (
		<Modal opened={opened} onClose={close} title={title}>
			<form onSubmit={submitted(send)}>
				<Stack>
					{children}
					<Problem message={action.error} />
					<Group justify="flex-end">
						<Button variant="default" onClick={close}>
							Cancel
						</Button>
						<Button type="submit" disabled={!isReady} loading={action.isRunning}>
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
			<NameField {...typed(name, setName)} />
		</FormDialog>
	);
}

interface ConfirmProps {
	/** The text of the button and the dialog, such as "Revoke". */
	label: string;
	/** What it acts on, if the label does not say. */
	of?: string;
	question: string;
	onConfirm: () => Promise<unknown>;
	children: ReactNode;
}

/** A button that asks for confirmation first, for actions that cannot be undone. */
export function ConfirmButton({ label, of, question, onConfirm, children }: ConfirmProps) {
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
			<SmallButton text={label} of={of} color="red" onClick={() => setIsOpen(true)} />
			{/* A closed dialog in each row of a long list would slow the page down. */}
			{isOpen && (
				<Confirmation
					{...action}
					question={question}
					label={label}
					color="red"
					onClose={close}
					onConfirm={() => void confirm()}
				>
					{children}
				</Confirmation>
			)}
		</>
	);
}

interface ConfirmationProps extends Pick<ConfirmProps, 'question' | 'label' | 'children'> {
	color?: string;
	error?: string | undefined;
	isRunning?: boolean;
	onClose: () => void;
	onConfirm: () => void;
}

function Confirmation({
	question,
	label,
	color,
	error,
	isRunning = false,
	onClose,
	onConfirm,
	children,
}: ConfirmationProps) {
	return (
		<Modal opened onClose={onClose} title={question}>
			<Stack>
				<Text component="div">{children}</Text>
				<Problem message={error} />
				<Group justify="flex-end">
					<Button variant="default" onClick={onClose} data-autofocus>
						Cancel
					</Button>
					<Button {...(color && { color })} loading={isRunning} onClick={onConfirm}>
						{label}
					</Button>
				</Group>
			</Stack>
		</Modal>
	);
}

/** More phones than this get nothing without a confirmation. */
const FEW_PHONES = 5;

interface SendProps {
	/** Such as "Send again". */
	label: string;
	preposition?: 'to' | 'for';
	/** The number of phones that it reaches; null: it goes to no phones. */
	phones: number | null;
	isRunning: boolean;
	isDisabled?: boolean;
	type?: 'submit';
	variant?: string;
	size?: string;
	/** What it sends, for people who cannot see what the button is next to. */
	of?: string;
	onSend: () => void;
}

/** A button that says how many phones it sends to, and asks for confirmation first if they are many. */
export function SendButton({
	label,
	preposition = 'to',
	phones,
	isRunning,
	isDisabled,
	of,
	onSend,
	...look
}: SendProps) {
	const [isAsking, setIsAsking] = useState(false);
	const words = phones === null ? label : `${label} ${preposition} ${inPhones(phones)}`;
	const close = () => setIsAsking(false);
	return (
		<>
			<Button
				{...look}
				leftSection={<IconSend size={16} />}
				disabled={isDisabled ?? false}
				loading={isRunning}
				onClick={() => (phones !== null && phones > FEW_PHONES ? setIsAsking(true) : onSend())}
			>
				{words}
				{of !== undefined && <Of name={of} />}
			</Button>
			{isAsking && (
				<Confirmation
					question={`${words}?`}
					label={words}
					onClose={close}
					onConfirm={() => {
						close();
						onSend();
					}}
				>
					It cannot be taken back.
				</Confirmation>
			)}
		</>
	);
}
