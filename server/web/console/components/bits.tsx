import { ActionIcon, Alert, Button, CopyButton, Group, Paper, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useNow } from '../../phone/hooks/use-now.ts';
import { fullTime, relativeTime } from '../../phone/relative-time.ts';

interface PageProps {
	title: string;
	/** The page's purpose, in a sentence. */
	about: string;
	action?: ReactNode;
	error?: string | undefined;
	children: ReactNode;
}

export function Page({ title, about, action, error, children }: PageProps) {
	return (
		<div className="page">
			<header className="page-head">
				<div>
					<Title order={1} size="h2">
						{title}
					</Title>
					<Text c="dimmed">{about}</Text>
				</div>
				{action}
			</header>
			<Problem message={error} />
			{children}
		</div>
	);
}

/** An error, in the server's words. */
export function Problem({ message }: { message: string | undefined }) {
	if (message === undefined) return null;
	return (
		<Alert className="problem" color="red" role="alert" icon={<IconAlertTriangle aria-hidden />}>
			{message}
		</Alert>
	);
}

interface EmptyProps {
	icon: ReactNode;
	title: string;
	children: ReactNode;
	action?: ReactNode;
}

/** Shown for an empty list, with the first step to take. */
export function Empty({ icon, title, children, action }: EmptyProps) {
	return (
		<Paper className="empty" withBorder p="xl">
			<span className="empty-icon" aria-hidden="true">
				{icon}
			</span>
			<Title order={2} size="h4">
				{title}
			</Title>
			<Text c="dimmed" maw={460}>
				{children}
			</Text>
			{action}
		</Paper>
	);
}

/** Names the thing a button acts on, for those who hear many buttons of the same words. */
export function Of({ name }: { name: string }) {
	return <span className="visually-hidden"> {name}</span>;
}

/** "2 min ago", updated by itself. */
export function Ago({ at }: { at: string | null }) {
	const now = useNow(10_000);
	if (at === null) return <>Never</>;
	return (
		<time dateTime={at} title={fullTime(at)}>
			{relativeTime(at, now)}
		</time>
	);
}

/** A text with a button that copies it. */
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
	/** The name of the thing it copies, where the button's words leave it open. */
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
