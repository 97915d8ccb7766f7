import { Button, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { OwnSession } from '../../../src/contract/console/members.ts';
import { browserName } from '../../phone/browser-name.ts';
import { call } from '../api.ts';
import { Ago } from '../components/ago.tsx';
import { NEW_PASSWORD, PasswordField, submitted, typed } from '../components/fields.tsx';
import { SmallButton } from '../components/of.tsx';
import { Page, Problem } from '../components/page.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useData } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';

/** Your own name, email address, password and sessions, and an owner's account. */
export function Account() {
	const { account, member, isOwner } = useSession();
	return (
		<Page title="Your account" about="Who you are, your password, and where you are signed in.">
			<Stack maw={480}>
				<NameCard
					title="Name"
					label="Name"
					current={member.name}
					description="Shown with your phones and your answers."
					onSave={(name) => call('PUT /profile', { name })}
				/>
				<Email />
				<Password />
				{isOwner && (
					<NameCard
						title="Account"
						label="Account name"
						current={account.name}
						description="Your company, team or household. Phones show it at the top."
						onSave={(name) => call('PUT /account', { name })}
					/>
				)}
				<Sessions />
			</Stack>
		</Page>
	);
}

interface NameCardProps {
	title: string;
	label: string;
	current: string;
	description: string;
	onSave: (name: string) => Promise<unknown>;
}

function NameCard({ title, label, current, description, onSave }: NameCardProps) {
	const [name, setName] = useState(current);
	return (
		<Card
			title={title}
			submit={`Change ${label.toLowerCase()}`}
			onSave={() => onSave(name)}
			done={`${label} changed.`}
		>
			<TextInput label={label} description={description} {...typed(name, setName)} />
		</Card>
	);
}

interface CardProps {
	title: string;
	/** The button's text; undefined: nothing to do. */
	submit: string | undefined;
	onSave: () => Promise<unknown>;
	/** The message once it is done. */
	done: string;
	onDone?: () => void;
	/** The error that keeps its contents from being shown. */
	error?: string | undefined;
	children: ReactNode;
}

function Card({ title, submit, onSave, done, onDone, error, children }: CardProps) {
	const [isDone, setIsDone] = useState(false);
	const save = useAction(onSave);
	const send = async () => {
		setIsDone(false);
		if ((await save.run()) === undefined) return;
		onDone?.();
		setIsDone(true);
	};
	return (
		<Paper withBorder p="md" component="section" aria-label={title}>
			<form onSubmit={submitted(send)} noValidate>
				<Stack gap="sm">
					<Title order={2} size="h4">
						{title}
					</Title>
					{children}
					<Problem message={save.error ?? error} />
					{isDone && (
						<Text size="sm" role="status" className="note good">
							{done}
						</Text>
					)}
					{submit !== undefined && (
						<Button type="submit" variant="light" loading={save.isRunning}>
							{submit}
						</Button>
					)}
				</Stack>
			</form>
		</Paper>
	);
}

function Email() {
	const { member } = useSession();
	const [email, setEmail] = useState(member.email);
	const [current, setCurrent] = useState('');
	return (
		<Card
			title="Email address"
			submit="Change email address"
			onSave={() => call('PUT /email', { current_password: current, email })}
			done="Email address changed. Sign in with it from now on."
			onDone={() => setCurrent('')}
		>
			<Text size="sm" c="dimmed">
				You sign in as {member.email}.
			</Text>
			<TextInput
				label="New email address"
				type="email"
				autoComplete="username"
				{...typed(email, setEmail)}
			/>
			<PasswordField
				label="Your password"
				shows="your password"
				autoComplete="current-password"
				{...typed(current, setCurrent)}
			/>
		</Card>
	);
}

function Password() {
	const [current, setCurrent] = useState('');
	const [password, setPassword] = useState('');
	return (
		<Card
			title="Password"
			submit="Change password"
			onSave={() => call('PUT /password', { current_password: current, password })}
			done="Password changed. You are signed out everywhere else."
			onDone={() => {
				setCurrent('');
				setPassword('');
			}}
		>
			<PasswordField
				label="Current password"
				shows="the current password"
				autoComplete="current-password"
				{...typed(current, setCurrent)}
			/>
			<PasswordField
				label="New password"
				shows="the new password"
				{...NEW_PASSWORD}
				{...typed(password, setPassword)}
			/>
		</Card>
	);
}

function SessionLine({ session }: { session: OwnSession }) {
	const browser = browserName(session.browser ?? '', 'Another program');
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
			<SmallButton
				text="Sign out"
				of={browser}
				color="red"
				loading={end.isRunning}
				onClick={() => void end.run()}
			/>
		</li>
	);
}

function Sessions() {
	const { data, error } = useData('GET /sessions');
	const others = data?.filter(({ current }) => !current) ?? [];
	return (
		<Card
			title="Other sessions"
			submit={others.length > 0 ? 'Sign out everywhere else' : undefined}
			onSave={() => call('DELETE /sessions')}
			done="You are signed out everywhere else."
			error={error}
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
