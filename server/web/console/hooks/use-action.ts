import { useState } from 'react';
import { errorMessage } from '../api.ts';
import { useChanges } from './use-changes.tsx';

export interface Action<A extends unknown[], T> {
	run: (...args: A) => Promise<T | undefined>;
	isRunning: boolean;
	/** The server's reason for refusing. */
	error: string | undefined;
	reset: () => void;
}

/** A person's action: runs one at a time, and refreshes the page afterwards. */
export function useAction<A extends unknown[], T>(act: (...args: A) => Promise<T>): Action<A, T> {
	const { refresh } = useChanges();
	const [isRunning, setIsRunning] = useState(false);
	const [error, setError] = useState<string>();
	const run = async (...args: A) => {
		setIsRunning(true);
		setError(undefined);
		try {
			const result = await act(...args);
			refresh();
			return result;
		} catch (problem) {
			setError(errorMessage(problem));
			return undefined;
		} finally {
			setIsRunning(false);
		}
	};
	return { run, isRunning, error, reset: () => setError(undefined) };
}
