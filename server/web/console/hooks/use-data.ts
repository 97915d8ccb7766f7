import { startTransition, useEffect, useRef, useState } from 'react';
import {
	addressOf,
	ApiError,
	type ResponseOf,
	type CallName,
	errorMessage,
	type Input,
	request,
} from '../api.ts';
import { useChanges } from './use-changes.tsx';

export interface Data<T> {
	data: T | undefined;
	error: string | undefined;
	/** The call that `data` belongs to: while another page of a list is fetched, still the previous one. */
	path: string;
}

type Reading = CallName & `GET ${string}`;

/** The server's answer to a call, kept live. */
export function useData<Name extends Reading>(
	name: Name,
	...sent: Input<Name>
): Data<ResponseOf<Name>> {
	return useAnswer(addressOf(name, ...sent), useChanges().versions.anything);
}

/**
 * Like `useData`, for data that only people change: it is not fetched again when something is sent.
 * @param known the server's last answer, if it is known already: the first request is skipped
 */
export function useSetting<Name extends Reading>(
	name: Name,
	known?: ResponseOf<Name>,
): Data<ResponseOf<Name>> {
	return useAnswer(addressOf(name), useChanges().versions.settings, known);
}

/** The shell says so once if the server cannot be reached. */
function reasonFor(error: unknown): string | undefined {
	return error instanceof ApiError && error.status === 0 ? undefined : errorMessage(error);
}

/** The answer at `path`, fetched again with each version. The last one stays while a new one is fetched. */
function useAnswer<T>(path: string, version: number, known?: T): Data<T> {
	const [state, setState] = useState<Data<T> & { asked: string }>({
		path,
		asked: path,
		data: known,
		error: undefined,
	});
	const seen = useRef(version);
	const isKnown = useRef(known !== undefined);
	const look = useRef<() => void>(undefined);
	useEffect(() => {
		let isCurrent = true;
		let isAsking = false;
		let isDueAgain = false;
		const ask = () => {
			// One request at a time: a busy server gets no second request before it has answered.
			isDueAgain = isAsking;
			if (isAsking) return;
			isAsking = true;
			void request<T>('GET', path)
				.then(
					// Drawn in steps: a long list at once would hold up what a person does meanwhile.
					(data) =>
						startTransition(() => {
							if (isCurrent) setState({ path, asked: path, data, error: undefined });
						}),
					(error: unknown) =>
						isCurrent && setState((last) => ({ ...last, asked: path, error: reasonFor(error) })),
				)
				.finally(() => {
					isAsking = false;
					if (isCurrent && isDueAgain) ask();
				});
		};
		look.current = ask;
		if (!isKnown.current) ask();
		isKnown.current = false;
		return () => {
			isCurrent = false;
		};
	}, [path]);
	useEffect(() => {
		if (seen.current === version) return;
		seen.current = version;
		look.current?.();
	}, [version]);
	return state.asked.split('?')[0] === path.split('?')[0]
		? state
		: { data: undefined, error: undefined, path };
}
