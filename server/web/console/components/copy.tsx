import { ActionIcon, Alert, Button, CopyButton, Group, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useSession } from '../session.tsx';
import { Of } from './of.tsx';

/** Text with a button that copies it. */
export function CopyText({ value, label }: { value: string; label: string }) {
	return (
		<Group className="copy-text" gap="xs" wrap="nowrap">
			<code>{value}</code>
			<CopyButton value={value}>
				{({ copied, copy }) => (
					<ActionIcon
						variant="subtle"
						aria-label={copied ? 'Copied' : label}
						title={label}
						onClick={copy}
					>
						{copied ? <IconCheck size={18} /> : <IconCopy size={18} />}
					</ActionIcon>
				)}
			</CopyButton>
		</Group>
	);
}

interface KeyOnceProps {
	value: string;
	/** True if the key is not for n8n, whose credential also needs the base URL. */
	isSender?: boolean;
}

/** A new key, which is shown only this once. */
export function KeyOnce({ value, isSender = false }: KeyOnceProps) {
	const { origin } = useSession();
	return (
		<>
			<Alert color="yellow">Copy this key now. You won’t see it again.</Alert>
			<CopyText value={value} label="Copy the key" />
			{!isSender && <Text size="sm">Base URL for the credential</Text>}
			{!isSender && <CopyText value={`${origin}/api`} label="Copy the base URL" />}
		</>
	);
}

interface CopyAsProps {
	value: string;
	/** What it copies, if the button's text does not say. */
	of?: string;
	children: ReactNode;
}

export function CopyAs({ value, of, children }: CopyAsProps) {
	return (
		<CopyButton value={value}>
			{({ copied, copy }) => (
				<Button
					variant="default"
					onClick={copy}
					leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
				>
					{copied ? 'Copied' : children}
					{of !== undefined && <Of name={of} />}
				</Button>
			)}
		</CopyButton>
	);
}
