import { useEffect, useRef, useState } from 'react';
import { api, messageOf } from '../api.ts';
import { useChanges } from './use-changes.tsx';

export interface Data<T> {
	data: T | undefined;
	error: string | undefined;
}

/** The server's answer at `path`, kept live. The last answer stays while a new one is fetched. */
export function useData<T>(path: string): Data<T> {
	const { version } = useChanges();
	const [state, setState] = useState<Data<T> & { path: string }>({
		path,
		data: undefined,
		error: undefined,
	});
	const seen = useRef(version);
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
						isCurrent && setState((last) => ({ ...last, path, error: messageOf(error) })),
				)
				.finally(() => {
					isAsking = false;
					if (isCurrent && isDueAgain) ask();
				});
		};
		look.current = ask;
		ask();
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
