import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type SyntheticEvent, type ReactNode, useState } from 'react';
import type { OwnSession } from '../../../src/contract/console/members.ts';
import { browserName } from '../browser-name.ts';
import { call } from '../api.ts';
import { Ago } from '../components/ago.tsx';
import { Of } from '../components/of.tsx';
import { Page, Problem } from '../components/page.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useData } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';

/** Your own name, password and sessions. */
export function Account() {
	return (
		<Page title="Your account" about="Your name, your password, and where you are signed in.">
			<Stack maw={480}>
				<Name />
				<Password />
				<Sessions />
			</Stack>
		</Page>
	);
}

interface CardProps {
	title: string;
	/** The button's text; undefined: nothing to do. */
	submit: string | undefined;
	/** The message once it is done. */
	done: string | undefined;
	error: string | undefined;
	isRunning: boolean;
	onSubmit: () => void;
	children: ReactNode;
}

function Card({ title, submit, done, error, isRunning, onSubmit, children }: CardProps) {
	const send = (event: SyntheticEvent) => {
		event.preventDefault();
		onSubmit();
	};
	return (
		<Paper withBorder p="md" component="section" aria-label={title}>
			<form onSubmit={send} noValidate>
				<Stack gap="sm">
					<Title order={2} size="h4">
						{title}
					</Title>
					{children}
					<Problem message={error} />
					{done !== undefined && (
						<Text size="sm" role="status" className="note good">
							{done}
						</Text>
					)}
					{submit !== undefined && (
						<Button type="submit" variant="light" loading={isRunning}>
							{submit}
						</Button>
					)}
				</Stack>
			</form>
		</Paper>
	);
}

function Name() {
	const { member } = useSession();
	const [name, setName] = useState(member.name);
	const [done, setDone] = useState<string>();
	const save = useAction(() => call('PUT /profile', { name }));
	return (
		<Card
			title="Name"
			submit="Change name"
			done={done}
			{...save}
			onSubmit={() => {
				setDone(undefined);
				void save.run().then((answer) => setDone(answer && 'Name changed.'));
			}}
		>
			<TextInput
				label="Name"
				description="Shown with your phones and your answers."
				autoComplete="name"
				value={name}
				onChange={(event) => setName(event.currentTarget.value)}
			/>
			<Text size="sm" c="dimmed">
				You sign in as {member.email}.
			</Text>
		</Card>
	);
}

function Password() {
	const [current, setCurrent] = useState('');
	const [password, setPassword] = useState('');
	const [done, setDone] = useState<string>();
	const save = useAction(() => call('PUT /password', { current_password: current, password }));
	return (
		<Card
			title="Password"
			submit="Change password"
			done={done}
			{...save}
			onSubmit={() => {
				setDone(undefined);
				void save.run().then((answer) => {
					if (answer === undefined) return;
					setCurrent('');
					setPassword('');
					setDone('Password changed. You are signed out everywhere else.');
				});
			}}
		>
			<PasswordInput
				label="Current password"
				autoComplete="current-password"
				value={current}
				onChange={(event) => setCurrent(event.currentTarget.value)}
				visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
			/>
			<PasswordInput
				label="New password"
				description="At least 12 characters. A few words are easy to remember."
				autoComplete="new-password"
				value={password}
				onChange={(event) => setPassword(event.currentTarget.value)}
				visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
			/>
		</Card>
	);
}

function SessionLine({ session }: { session: OwnSession }) {
	const browser = browserName(session.browser ?? '');
	const end = useAction(() => call('DELETE /sessions/:id', session.id));
	return (
		<li>
			<div className="grow">
				<Text size="sm" title={session.browser ?? undefined}>
					{[browser, session.address].filter(Boolean).join(', ')}
				</Text>
				<Text size="sm" c="dimmed">
					Signed in <Ago at={session.signed_in_at} />, last used <Ago at={session.last_used_at} />
				</Text>
				<Problem message={end.error} />
			</div>
			<Button
				size="compact-sm"
				variant="subtle"
				color="red"
				loading={end.isRunning}
				onClick={() => void end.run()}
			>
				Sign out
				<Of name={browser} />
			</Button>
		</li>
	);
}

function Sessions() {
	const { data, error } = useData('GET /sessions');
	const [done, setDone] = useState<string>();
	const end = useAction(() => call('DELETE /sessions'));
	const others = data?.filter(({ current }) => !current) ?? [];
	return (
		<Card
			title="Other sessions"
			submit={others.length > 0 ? 'Sign out everywhere else' : undefined}
			done={done}
			{...end}
			error={end.error ?? error}
			onSubmit={() => {
				setDone(undefined);
				void end.run().then((answer) => setDone(answer && 'You are signed out everywhere else.'));
			}}
		>
			{data && others.length === 0 && <Text size="sm">You are not signed in anywhere else.</Text>}
			{others.length > 0 && (
				<ul className="sessions">
					{others.map((session) => (
						<SessionLine key={session.id} session={session} />
					))}
				</ul>
			)}
		</Card>
	);
}
