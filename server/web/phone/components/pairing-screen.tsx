import { useState } from 'react';
import { DeviceError, failureWords } from '../../device/device-client.ts';
import { CODE_LENGTH } from '../../device/pairing-code.ts';
import { browserName } from '../browser-name.ts';
import { pairPage } from '../page-client.ts';
import { pushEnvironment, toPushState } from '../push-registration.ts';
import { CodeField, PairingForm } from './pairing-form.tsx';

interface PairingScreenProps {
	/** The code from a link; only the name is left to confirm. */
	linkCode: string | undefined;
	/** The reason for showing this screen again. */
	notice: string | undefined;
	onPaired: (token: string) => void;
	/** Keeps the existing pairing. Undefined unless this browser is paired already. */
	onKeep: (() => void) | undefined;
}

/** Pairing by link: one tap. By code: eight characters and one tap. */
export function PairingScreen({ linkCode, notice, onPaired, onKeep }: PairingScreenProps) {
	const [code, setCode] = useState(linkCode ?? '');
	const [name, setName] = useState(() => browserName(navigator.userAgent));
	const [isPairing, setIsPairing] = useState(false);
	const [error, setError] = useState('');
	/** A link whose code is not valid leaves the code to be typed. */
	const [hasField, setHasField] = useState(linkCode === undefined);
	const needsInstall = toPushState(pushEnvironment()).kind === 'needs-install';
	const isComplete = code.length === CODE_LENGTH && name.trim() !== '';

	const submit = async () => {
		if (!isComplete || isPairing) return;
		setIsPairing(true);
		setError('');
		try {
			const { token } = await pairPage({ code, name: name.trim(), platform: 'web' });
			onPaired(token);
		} catch (failure) {
			setError(failureWords(failure));
			if (failure instanceof DeviceError && failure.status === 404) setHasField(true);
			setIsPairing(false);
		}
	};

	return (
		<PairingForm
			title={onKeep ? 'Pair this phone again?' : 'Pair this phone'}
			lead={notice ?? leadFor(linkCode, onKeep !== undefined)}
			note={needsInstall ? installNote(linkCode) : undefined}
			error={error}
			isPairing={isPairing}
			isComplete={isComplete}
			onSubmit={submit}
			onKeep={onKeep}
		>
			{hasField && <CodeField code={code} onChange={setCode} autoFocus />}
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
			{linkCode === undefined && !onKeep && (
				<p className="pairing-note">
					Sending and managing phones is done in the <a href="/console">console</a>.
				</p>
			)}
		</PairingForm>
	);
}

function leadFor(linkCode: string | undefined, isPaired: boolean): string {
	if (isPaired)
		return 'This browser is already paired. Pairing again replaces the current pairing.';
	if (linkCode !== undefined) return 'Name this phone to finish pairing.';
	return 'Enter the code from your Beckon server. It is valid for 15 minutes.';
}

function installNote(linkCode: string | undefined): string {
	const enter = linkCode === undefined ? '' : ` and enter ${codeWords(linkCode)}`;
	return (
		'To get notified when Beckon is closed, first tap Share, then “Add to Home Screen”. ' +
		`Open Beckon from there${enter}.`
	);
}

/** Splits a code in two, the way people read it out. */
function codeWords(code: string): string {
	return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}
