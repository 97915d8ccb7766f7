import { type SyntheticEvent, useState } from 'react';
import { failureWords } from '../../device/device-client.ts';
import { suggestedName } from '../device-name.ts';
import { pairPage } from '../page-client.ts';
import { pushEnvironment, toPushState } from '../push-registration.ts';
import { AppIcon } from './app-icon.tsx';

interface PairingScreenProps {
	/** The code from a link; only the name is left to confirm. */
	linkCode: string | undefined;
	/** The reason for showing this screen again. */
	notice: string | undefined;
	onPaired: (token: string) => void;
	/** Keeps the existing pairing. Undefined unless this browser is paired already. */
	onKeep: (() => void) | undefined;
}

const CODE_LENGTH = 8;

/** Pairing by link: one tap. By code: eight characters and one tap. */
export function PairingScreen({ linkCode, notice, onPaired, onKeep }: PairingScreenProps) {
	const [code, setCode] = useState(linkCode ?? '');
	const [name, setName] = useState(() => suggestedName(navigator.userAgent));
	const [isPairing, setIsPairing] = useState(false);
	const [error, setError] = useState('');
	const needsInstall = toPushState(pushEnvironment()).kind === 'needs-install';
	const isComplete = code.length === CODE_LENGTH && name.trim() !== '';

	const submit = async (event: SyntheticEvent) => {
		event.preventDefault();
		if (!isComplete || isPairing) return;
		setIsPairing(true);
		setError('');
		try {
			const { token } = await pairPage({ code, name: name.trim(), platform: 'web' });
			onPaired(token);
		} catch (failure) {
			setError(failureWords(failure));
			setIsPairing(false);
		}
	};

	return (
		<main className="pairing">
			<AppIcon className="pairing-icon" />
			<h1>{onKeep ? 'Pair this phone again?' : 'Pair this phone'}</h1>
			<p className="pairing-lead">{notice ?? leadFor(linkCode, onKeep !== undefined)}</p>
			{needsInstall && (
				<p className="pairing-note">
					To get notified when Beckon is closed, first tap Share, then “Add to Home Screen”. Open
					Beckon from there{linkCode ? ` and enter ${codeWords(linkCode)}` : ''}.
				</p>
			)}
			<form onSubmit={(event) => void submit(event)}>
				{linkCode === undefined && <CodeField code={code} onChange={setCode} />}
				<label className="field">
					<span>Name of this phone</span>
					<input
						type="text"
						value={name}
						maxLength={64}
						autoComplete="off"
						onChange={(event) => setName(event.target.value)}
					/>
				</label>
				<p className="pairing-error" role="alert">
					{error}
				</p>
				<button type="submit" className="primary-button" disabled={!isComplete || isPairing}>
					{isPairing ? 'Pairing…' : 'Pair'}
				</button>
				{onKeep && (
					<button type="button" className="text-button" onClick={onKeep}>
						Keep current pairing
					</button>
				)}
			</form>
		</main>
	);
}

function leadFor(linkCode: string | undefined, isPaired: boolean): string {
	if (isPaired)
		return 'This browser is already paired. Pairing again replaces the current pairing.';
	if (linkCode !== undefined) return 'Name this phone to finish pairing.';
	return 'Enter the code from your Beckon server. It is valid for 15 minutes.';
}

/** Splits a code in two, the way people read it out. */
function codeWords(code: string): string {
	return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

/** One text field with its letters shown apart; a pasted code may have spaces and dashes. */
function CodeField({ code, onChange }: { code: string; onChange: (code: string) => void }) {
	return (
		<label className="field">
			<span>Pairing code</span>
			<input
				className="code-input"
				type="text"
				value={code}
				placeholder="········"
				autoFocus
				autoComplete="one-time-code"
				autoCapitalize="characters"
				autoCorrect="off"
				spellCheck={false}
				onChange={(event) => {
					const typed = event.target.value.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase();
					onChange(typed.slice(0, CODE_LENGTH));
				}}
			/>
		</label>
	);
}
