import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import type { ConsoleSession } from '../../../src/contract/console/members.ts';
import { call, errorMessage } from '../api.ts';
import { Problem } from '../components/page.tsx';
import { Gate } from '../components/gate.tsx';

interface SignInProps {
	/** A session here has just ended. */
	isOver: boolean;
	onDone: (session: ConsoleSession) => void;
}

export function SignIn({ isOver, onDone }: SignInProps) {
	const [email, setEmail] = useState('');
	const [password, setPassword] = useState('');
	const [problem, setProblem] = useState<string>();
	const [isSending, setIsSending] = useState(false);
	const send = (event: SyntheticEvent) => {
		event.preventDefault();
		setIsSending(true);
		call('POST /login', { email, password }).then(onDone, (error: unknown) => {
			setProblem(errorMessage(error));
			setIsSending(false);
		});
	};
	return (
		<Gate title="Sign in to Beckon">
			<form onSubmit={send} noValidate>
				<Stack>
					{isOver && <Text role="status">Your session has ended. Sign in again.</Text>}
					<TextInput
						label="Email address"
						type="email"
						autoComplete="username"
						value={email}
						onChange={(event) => setEmail(event.currentTarget.value)}
					/>
					<PasswordInput
						label="Password"
						autoComplete="current-password"
						value={password}
						onChange={(event) => setPassword(event.currentTarget.value)}
						visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
					/>
					<Problem message={problem} />
					<Button type="submit" loading={isSending}>
						Sign in
					</Button>
					<Text size="sm" c="dimmed">
						Forgot your password? Ask an owner for a reset link, which they create under People.
						First visit, or no other owner? The server prints a setup link when it starts, and{' '}
						<code>beckon-server account setup-link</code> prints another.
					</Text>
				</Stack>
			</form>
		</Gate>
	);
}
