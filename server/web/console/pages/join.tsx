import { Button, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ConsoleSession, LinkInfo } from '../../../src/contract/console/members.ts';
import { call, errorMessage } from '../api.ts';
import { NEW_PASSWORD, PasswordField, submitted, typed } from '../components/fields.tsx';
import { Problem } from '../components/page.tsx';
import { Gate } from '../components/gate.tsx';
import { useAction } from '../hooks/use-action.ts';

interface JoinProps {
	token: string;
	onDone: (session: ConsoleSession) => void;
	onGiveUp: () => void;
}

function toTitle(link: LinkInfo | undefined): string {
	if (link === undefined) return 'Your link';
	if (link.purpose === 'reset') return 'Set a new password';
	if (link.purpose === 'invite') return `Join ${link.account ?? 'the account'}`;
	return link.account === null ? 'Set up Beckon' : `Become the owner of ${link.account}`;
}

const SUBMIT: Record<LinkInfo['purpose'], string> = {
	setup: 'Set up',
	invite: 'Join',
	reset: 'Set password',
};

/** The page behind a setup, invitation or reset link: the member's name and a new password. */
export function Join({ token, onDone, onGiveUp }: JoinProps) {
	const [link, setLink] = useState<LinkInfo>();
	const [fields, setFields] = useState({ account: '', name: '', email: '', password: '' });
	const [problem, setProblem] = useState<string>();
	const field = (name: keyof typeof fields) => ({
		required: true,
		withAsterisk: false,
		...typed(fields[name], (value) => setFields({ ...fields, [name]: value })),
	});

	useEffect(() => {
		call('POST /link', { token }).then(
			(info) => {
				setLink(info);
				setFields((current) => ({ ...current, email: info.email ?? '' }));
			},
			(error: unknown) => setProblem(errorMessage(error)),
		);
	}, [token]);

	const enter = useAction(async () => {
		const { account, ...person } = fields;
		const entered =
			link?.purpose === 'reset'
				? call('POST /reset', { token, password: person.password })
				: call('POST /join', { token, ...person, ...(link?.account === null && { account }) });
		onDone(await entered);
	});

	return (
		<Gate title={toTitle(link)}>
			{link === undefined ? (
				<Stack align="center">
					{problem === undefined && <Loader aria-label="Loading" />}
					<Problem message={problem} />
					<Button variant="default" onClick={onGiveUp}>
						Go to sign in
					</Button>
				</Stack>
			) : (
				<form onSubmit={submitted(enter.run)}>
					<Stack>
						{link.account === null && (
							<TextInput
								label="Account"
								description="Your company, team or household"
								{...field('account')}
							/>
						)}
						{link.purpose !== 'reset' && (
							<TextInput label="Your name" autoComplete="name" {...field('name')} />
						)}
						<TextInput
							label="Email address"
							type="email"
							autoComplete="username"
							readOnly={link.purpose !== 'setup' && link.email !== null}
							{...field('email')}
						/>
						<PasswordField
							label="Password"
							shows="the password"
							{...NEW_PASSWORD}
							{...field('password')}
						/>
						<Problem message={enter.error} />
						<Button type="submit" loading={enter.isRunning}>
							{SUBMIT[link.purpose]}
						</Button>
						<Text size="sm" c="dimmed">
							This link works once.
						</Text>
						<Button variant="subtle" onClick={onGiveUp}>
							Go to sign in
						</Button>
					</Stack>
				</form>
			)}
		</Gate>
	);
}
