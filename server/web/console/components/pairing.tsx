import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import { PAIR_CODE_MINUTES } from '../../../src/contract/values.ts';
import { phoneAddressAdvice } from '../../../src/contract/phone-address.ts';
import type { PairingResponse } from '../../../src/contract/console/resources.ts';
import { clockText } from '../../device/timer.ts';
import { useNow } from '../../phone/hooks/use-now.ts';
import { call } from '../api.ts';
import { type Action, useAction } from '../hooks/use-action.ts';
import { useData, useSetting } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';
import { CopyText } from './copy.tsx';
import { manyChoices } from './fields.tsx';
import { Problem } from './page.tsx';

interface ShownCode extends PairingResponse {
	/** On this computer's clock, which may be wrong. */
	shownAt: number;
}

/** Asks for the phone's owner, then shows a pairing code until the phone has paired. */
export function Pairing({ onClose }: { onClose: () => void }) {
	const { member, isOwner } = useSession();
	const { data: people } = useSetting('GET /user-names');
	const themselves = member.user === null ? [] : [member.user];
	const choices = isOwner && people ? people.map(({ name }) => name) : themselves;
	const [chosen, setChosen] = useState<string>();
	const user = chosen ?? member.user ?? choices[0] ?? '';
	const [code, setCode] = useState<ShownCode>();
	const create = useAction(() => call('POST /devices/pair-code', { user }));
	const showCode = () => {
		void create.run().then((answer) => setCode(answer && { ...answer, shownAt: Date.now() }));
	};
	if (code !== undefined) {
		return (
			<Code key={code.code} code={code} create={create} onNewCode={showCode} onClose={onClose} />
		);
	}
	return (
		<Stack>
			<AddressAdvice />
			<Select
				label="Whose phone is it?"
				description={!isOwner && 'Only an owner can pair a phone for someone else.'}
				data={choices}
				value={user}
				allowDeselect={false}
				{...manyChoices(choices.length)}
				onChange={(value) => setChosen(value ?? user)}
			/>
			<Problem message={create.error} />
			<Button loading={create.isRunning} onClick={showCode}>
				Show the code
			</Button>
		</Stack>
	);
}

function AddressAdvice() {
	const { origin } = useSession();
	const advice = phoneAddressAdvice(origin);
	if (advice === undefined) return null;
	return (
		<Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
			{advice}
		</Alert>
	);
}

interface CodeProps {
	code: ShownCode;
	create: Action<[], PairingResponse>;
	onNewCode: () => void;
	onClose: () => void;
}

/** A new pairing code, as a QR code, a link and text. */
function Code({ code, create, onNewCode, onClose }: CodeProps) {
	const { origin } = useSession();
	const { data } = useData('GET /devices', { id: code.device_id });
	const now = useNow(1_000);
	const paired = data?.devices[0];
	const secondsLeft = Math.ceil(
		(code.shownAt + PAIR_CODE_MINUTES * 60_000 - Math.max(now, code.shownAt)) / 1_000,
	);
	if (paired) {
		return (
			<Stack align="center" role="status">
				<IconCircleCheck size={48} color="var(--mantine-color-green-6)" aria-hidden />
				<Text ta="center">
					<strong>{paired.name}</strong> is paired for {paired.user}.
				</Text>
				<Button onClick={onClose}>Done</Button>
			</Stack>
		);
	}
	const newCode = (
		<Button
			variant={secondsLeft > 0 ? 'subtle' : 'filled'}
			size="compact-sm"
			loading={create.isRunning}
			onClick={onNewCode}
		>
			New code
		</Button>
	);
	if (secondsLeft <= 0) {
		return (
			<Stack align="center">
				<Text role="status">This code has expired.</Text>
				<Problem message={create.error} />
				{newCode}
			</Stack>
		);
	}
	// In the fragment, which browsers never send.
	const link = `${origin}/phone#code=${code.code}`;
	return (
		<Stack align="center">
			<AddressAdvice />
			<QRCodeSVG
				className="qr"
				value={link}
				size={208}
				marginSize={2}
				title="Link to pair the phone"
			/>
			<Text ta="center">
				Scan with the phone’s camera, or open <strong>{origin}/phone</strong> on it and type
			</Text>
			<Text className="pair-code" data-testid="pair-code">
				{code.code.slice(0, 4)}-{code.code.slice(4)}
			</Text>
			{/* High up: on the phone itself, nothing can scan the code. */}
			<Button component="a" href={link} target="_blank" rel="noopener" variant="light">
				Open it here
			</Button>
			<CopyText value={link} label="Copy the link" />
			<Problem message={create.error} />
			<Group justify="space-between" w="100%">
				<Text size="sm" c="dimmed">
					For one phone of {code.user}. Expires in{' '}
					<span data-testid="time-left">{clockText(secondsLeft)}</span>
				</Text>
				{newCode}
			</Group>
			<Text size="sm" c="dimmed" role="status">
				Waiting for the phone…
			</Text>
		</Stack>
	);
}
