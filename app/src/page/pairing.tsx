import { useState } from 'react';
import { readCode } from '../../../server/web/device/pairing-code.ts';
import { CodeField, PairingForm } from '../../../server/web/phone/components/pairing-form.tsx';
import { readLink, readOrigin } from '../links.ts';

export interface PairingProps {
	/** From a link, if there was one. */
	origin: string;
	code: string;
	/** The reason for showing this screen again. */
	notice: string;
	/** @returns the text of a QR code; null if this phone has no scanner */
	scan: () => Promise<string | null>;
	/** @returns why it failed; empty if it did not */
	pair: (origin: string, code: string) => Promise<string>;
}

/** Pairs by the QR code of the console, a link, or address and code. */
export function Pairing({ notice, scan, pair, ...linked }: PairingProps) {
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
		const link = readLink((await scan()) ?? '');
		if (link?.kind === 'pair') await submit(link.origin, link.code);
		else
			setError(
				'That is no pairing code of Beckon. In the console, open Phones, then Pair a phone.',
			);
	};
	return (
		<PairingForm
			title="Pair this iPhone"
			lead={notice || 'Scan the QR code in your server’s console, or type what it shows.'}
			error={error}
			isPairing={isPairing}
			isComplete
			onSubmit={() => submit()}
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
					autoCapitalize="none"
					autoComplete="off"
					autoCorrect="off"
					spellCheck={false}
					onChange={({ target }) => setAddress(target.value)}
				/>
			</label>
			<CodeField code={typed} onChange={setTyped} />
		</PairingForm>
	);
}
