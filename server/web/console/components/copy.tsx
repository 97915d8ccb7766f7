import { ActionIcon, Button, CopyButton, Group } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
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
