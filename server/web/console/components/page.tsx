import { Alert, Button, Paper, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface PageProps {
	title: string;
	/** The page's purpose, in a sentence. */
	about: string;
	action?: ReactNode;
	error?: string | undefined;
	/** Nothing is known yet. */
	isLoading?: boolean;
	children: ReactNode;
}

export function Page({ title, about, action, error, isLoading = false, children }: PageProps) {
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
			{isLoading && error === undefined && <Loading />}
			{children}
		</div>
	);
}

/** A page's action that adds to its list. */
export function AddButton({ text, onClick }: { text: string; onClick: () => void }) {
	return (
		<Button leftSection={<IconPlus size={16} />} onClick={onClick}>
			{text}
		</Button>
	);
}

/** A placeholder for content that is still loading. */
export function Loading() {
	return (
		<div className="skeleton" role="status">
			<span className="visually-hidden">Loading…</span>
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
