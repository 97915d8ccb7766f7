import { useEffect, useState } from 'react';
import type { PlaygroundPreview } from '../../../src/contract/console/playground.ts';
import { api, messageOf } from '../api.ts';

const PAUSE_MS = 180;

interface Preview {
	shown: PlaygroundPreview | undefined;
	/** Why the server would refuse it. */
	problem: string | undefined;
}

/** What a phone would show of the request, by the server's own rules, shortly after typing pauses. @param request undefined: not known yet */
export function usePreview(request: object | undefined): Preview {
	const body = request && JSON.stringify(request);
	const [preview, setPreview] = useState<Preview>({ shown: undefined, problem: undefined });
	useEffect(() => {
		if (body === undefined) return undefined;
		let isCurrent = true;
		const timer = setTimeout(() => {
			api.post<PlaygroundPreview>('/playground/preview', JSON.parse(body) as object).then(
				(shown) => isCurrent && setPreview({ shown, problem: undefined }),
				(error: unknown) =>
					isCurrent && setPreview(({ shown }) => ({ shown, problem: messageOf(error) })),
			);
		}, PAUSE_MS);
		return () => {
			isCurrent = false;
			clearTimeout(timer);
		};
	}, [body]);
	return preview;
}
