import type { ReactNode, SyntheticEvent } from 'react';
import { CODE_LENGTH } from '../../device/pairing-code.ts';
import { AppIcon } from './app-icon.tsx';

interface PairingFormProps {
	title: string;
	lead: string;
	note?: string | undefined;
	error: string;
	isPairing: boolean;
	/** False: there is something left to enter. */
	isComplete: boolean;
	onSubmit: () => Promise<void>;
	/** Keeps the existing pairing, if there is one. */
	onKeep?: (() => void) | undefined;
	/** The fields. */
	children: ReactNode;
}

/** The screen for pairing, of the page and of the iPhone app. */
export function PairingForm({ title, lead, note, children, ...props }: PairingFormProps) {
	const { error, isPairing, isComplete, onSubmit, onKeep } = props;
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		void onSubmit();
	};
	return (
		<main className="pairing">
			<AppIcon className="pairing-icon" />
			<h1>{title}</h1>
			<p className="pairing-lead">{lead}</p>
			{note && <p className="pairing-note">{note}</p>}
			<form onSubmit={submit} noValidate>
				{children}
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

interface CodeFieldProps {
	code: string;
	onChange: (code: string) => void;
	autoFocus?: boolean;
}

/** One text field with its letters shown apart; a pasted code may have spaces and dashes. */
export function CodeField({ code, onChange, autoFocus = false }: CodeFieldProps) {
	return (
		<label className="field">
			<span>Pairing code</span>
			<input
				className="code-input"
				type="text"
				value={code}
				placeholder="········"
				autoFocus={autoFocus}
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
