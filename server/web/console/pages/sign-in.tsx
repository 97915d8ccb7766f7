import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleSession } from '../../../src/contract/console/members.ts';
import { call } from '../api.ts';
import { PasswordField, submitted, typed } from '../components/fields.tsx';
import { Problem } from '../components/page.tsx';
import { Gate } from '../components/gate.tsx';
import { useAction } from '../hooks/use-action.ts';

interface SignInProps {
	/** A session here has just ended. */
	isOver: boolean;
	onDone: (session: ConsoleSession) => void;
}

export function SignIn({ isOver, onDone }: SignInProps) {
	const [email, setEmail] = useState('');
	const [password, setPassword] = useState('');
	const signIn = useAction(async () => onDone(await call('POST /login', { email, password })));
	return (
		<Gate title="Sign in to Beckon">
			<form onSubmit={submitted(signIn.run)} noValidate>
				<Stack>
					{isOver && <Text role="status">Your session has ended. Sign in again.</Text>}
					<TextInput
						label="Email address"
						type="email"
						autoComplete="username"
						{...typed(email, setEmail)}
					/>
					<PasswordField
						label="Password"
						shows="the password"
						autoComplete="current-password"
						{...typed(password, setPassword)}
					/>
					<Problem message={signIn.error} />
					<Button type="submit" loading={signIn.isRunning}>
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
