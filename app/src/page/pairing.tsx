import { useState } from 'react';
import { readCode } from '../../../server/web/device/pairing-code.ts';
import { CodeField, PairingForm } from '../../../server/web/phone/components/pairing-form.tsx';
import { readLink, readOrigin } from '../links.ts';
import type { Scanned } from '../scanning.ts';

export interface PairingProps {
	/** The server's address and the code, from the link if there was one. */
	origin: string;
	code: string;
	/** The reason for showing this screen again. */
	notice: string;
	/** The address of the server that the phone is paired with; empty if with none. */
	paired: string;
	scan: () => Promise<Scanned>;
	/** @returns why it failed; empty if it did not */
	pair: (origin: string, code: string) => Promise<string>;
	/** Keeps the existing pairing. */
	keep: () => Promise<void>;
}

const NO_CODE =
	'That is no pairing code of Beckon. In the console, open Phones, then Pair a phone.';
const NO_CAMERA = 'The camera cannot be used. Type the address and the code.';

/** Pairs by the QR code of the console, a link, or address and code. */
export function Pairing({ notice, paired, scan, pair, keep, ...linked }: PairingProps) {
	const [address, setAddress] = useState(linked.origin);
	const [typed, setTyped] = useState(linked.code);
	const [isPairing, setIsPairing] = useState(false);
	const [error, setError] = useState('');

	const submit = async (origin = readOrigin(address), code = readCode(typed)) => {
		if (origin === undefined) return setError('Enter the address of your Beckon server.');
		if (code === undefined) return setError('Enter the code: 8 letters and digits.');
		setIsPairing(true);
		setError('');
		setError(await pair(origin, code));
		setIsPairing(false);
	};
	const onScan = async () => {
		const { text, problem } = await scan().catch((): Scanned => ({ problem: NO_CAMERA }));
		if (text === undefined) return setError(problem ?? '');
		const link = readLink(text);
		if (link?.kind === 'pair') await submit(link.origin, link.code);
		else setError(NO_CODE);
	};
	return (
		<PairingForm
			title={paired ? 'Pair this iPhone again?' : 'Pair this iPhone'}
			lead={notice || 'Scan the QR code in your server’s console, or type what it shows.'}
			note={paired && `It is paired with ${paired}, which it then leaves.`}
			error={error}
			isPairing={isPairing}
			isComplete
			onSubmit={() => submit()}
			onKeep={paired ? () => void keep() : undefined}
		>
			<button
				type="button"
				className="primary-button"
				disabled={isPairing}
				onClick={() => void onScan()}
			>
				Scan QR code
			</button>
			<label className="field">
				<span>Server’s address</span>
				<input
					type="url"
					value={address}
					placeholder="beckon.example.com"
					autoComplete="off"
					spellCheck={false}
					onChange={({ target }) => setAddress(target.value)}
				/>
			</label>
			<CodeField code={typed} onChange={setTyped} />
		</PairingForm>
	);
}
