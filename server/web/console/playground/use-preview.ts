import { useEffect, useState } from 'react';
import type { PlaygroundPreview } from '../../../src/contract/console/playground.ts';
import type { RequestIssue } from '../../../src/contract/issues.ts';
import { ApiError, call, errorMessage } from '../api.ts';

const PAUSE_MS = 180;

interface Previewed {
	request: string;
	body: object;
}

interface Preview {
	shown: PlaygroundPreview | undefined;
	/** The server's reason for refusing it. */
	problem: string | undefined;
	/** The same by field. */
	issues: readonly RequestIssue[];
}

const NOTHING: Preview = { shown: undefined, problem: undefined, issues: [] };

/**
 * The request as a phone would show it, by the server's own rules, shortly after typing pauses. If the
 * request would be refused, the last good preview of the same kind of request stays.
 * @param request undefined: not known yet
 */
export function usePreview(request: Previewed | undefined): Preview {
	const body = request && JSON.stringify(request);
	const name = request?.request;
	const [preview, setPreview] = useState<Preview & { name?: string }>(NOTHING);
	useEffect(() => {
		if (body === undefined) return undefined;
		let isCurrent = true;
		const timer = setTimeout(() => {
			call('POST /playground/preview', JSON.parse(body) as object).then(
				(shown) => isCurrent && setPreview({ name, shown, problem: undefined, issues: [] }),
				(error: unknown) =>
					isCurrent &&
					setPreview((last) => ({
						name,
						shown: last.name === name ? last.shown : undefined,
						problem: errorMessage(error),
						issues: error instanceof ApiError ? error.issues : [],
					})),
			);
		}, PAUSE_MS);
		return () => {
			isCurrent = false;
			clearTimeout(timer);
		};
	}, [body, name]);
	return preview.name === name ? preview : NOTHING;
}
