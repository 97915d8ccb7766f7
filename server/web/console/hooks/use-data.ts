import { useEffect, useRef, useState } from 'react';
import { api, errorMessage } from '../api.ts';
import { useChanges } from './use-changes.tsx';

export interface Data<T> {
	data: T | undefined;
	error: string | undefined;
}

interface Options<T> {
	/** The server's last answer, if it is known already: the first request is left out. */
	known?: T;
	/** True for what only people change: it is not fetched again when something is sent. */
	isSetting?: boolean;
}

/** The server's answer at `path`, kept live. The last answer stays while a new one is fetched. */
export function useData<T>(path: string, { known, isSetting = false }: Options<T> = {}): Data<T> {
	const { versions } = useChanges();
	const version = isSetting ? versions.settings : versions.anything;
	const [state, setState] = useState<Data<T> & { path: string }>({
		path,
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
			// One request at a time: a busy server is not asked again before it has answered.
			isDueAgain = isAsking;
			if (isAsking) return;
			isAsking = true;
			void api
				.get<T>(path)
				.then(
					(data) => isCurrent && setState({ path, data, error: undefined }),
					(error: unknown) =>
						isCurrent && setState((last) => ({ ...last, path, error: errorMessage(error) })),
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
	return state.path.split('?')[0] === path.split('?')[0]
		? state
		: { data: undefined, error: undefined };
}
