import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import type { PairingAnswer } from '../../../src/contract/console/things.ts';
import { api } from '../api.ts';
import { useAction } from '../hooks/use-action.ts';
import { useSession } from '../session.tsx';
import { CopyText, Problem } from './bits.tsx';

/** A fresh pairing code, as a picture, as a link and as letters. */
export function Pairing({ users }: { users: string[] }) {
	const { origin } = useSession();
	const [user, setUser] = useState(users[0] ?? 'owner');
	const [code, setCode] = useState<PairingAnswer>();
	const create = useAction(() => api.post<PairingAnswer>('/devices/pair-code', { user }));
	if (code === undefined) {
		return (
			<Stack>
				<Select
					label="Whose phone is it?"
					data={users}
					value={user}
					allowDeselect={false}
					onChange={(value) => setUser(value ?? user)}
				/>
				<Problem message={create.error} />
				<Button loading={create.isRunning} onClick={() => void create.run().then(setCode)}>
					Show the code
				</Button>
			</Stack>
		);
	}
	// In the fragment, which a browser sends to nobody.
	const link = `${origin}/phone#code=${code.code}`;
	return (
		<Stack align="center">
			<QRCodeSVG
				className="qr"
				value={link}
				size={208}
				marginSize={2}
				title="Link to pair the phone"
			/>
			<Text ta="center">
				Scan it with the phone’s camera, or open <strong>{origin}/phone</strong> there and type
			</Text>
			<Text className="pair-code" data-testid="pair-code">
				{code.code.slice(0, 4)}-{code.code.slice(4)}
			</Text>
			<CopyText value={link} label="Copy the link" />
			<Group justify="space-between" w="100%">
				<Text size="sm" c="dimmed">
					For one phone of {code.user}, for 15 minutes.
				</Text>
				<Button
					component="a"
					href={link}
					target="_blank"
					rel="noopener"
					variant="light"
					size="compact-sm"
				>
					Open it here
				</Button>
			</Group>
		</Stack>
	);
}
