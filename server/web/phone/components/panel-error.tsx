import { type ReactNode, useState } from 'react';
import { failureWords } from '../../device/device-client.ts';

export function PanelError({ words }: { words: string }) {
	return (
		<p className="panel-error" role="alert">
			{words}
		</p>
	);
}

/** @returns why the last change failed, and a function that takes the next one, to say so if it does */
export function usePanelError(): [ReactNode, (change: Promise<unknown>) => void] {
	const [words, setWords] = useState('');
	const follow = (change: Promise<unknown>) => {
		setWords('');
		change.catch((failure: unknown) => setWords(failureWords(failure)));
	};
	return [<PanelError words={words} />, follow];
}
