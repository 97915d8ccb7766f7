import { useEffect, useState } from 'react';
import { api, messageOf } from '../api.ts';
import { useChanges } from './use-changes.tsx';

export interface Data<T> {
	data: T | undefined;
	error: string | undefined;
}

/** What the server answers at `path`, kept live. While it is asked again the last answer stands. */
export function useData<T>(path: string): Data<T> {
	const { version } = useChanges();
	const [state, setState] = useState<Data<T> & { path: string }>({
		path,
		data: undefined,
		error: undefined,
	});
	useEffect(() => {
		let isCurrent = true;
		api.get<T>(path).then(
			(data) => isCurrent && setState({ path, data, error: undefined }),
			(error: unknown) =>
				isCurrent && setState((last) => ({ ...last, path, error: messageOf(error) })),
		);
		return () => {
			isCurrent = false;
		};
	}, [path, version]);
	return state.path.split('?')[0] === path.split('?')[0]
		? state
		: { data: undefined, error: undefined };
}
