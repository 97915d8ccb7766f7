import { useEffect, useState } from 'react';
import type { PlaygroundPreview } from '../../../src/contract/console/playground.ts';
import type { RequestIssue } from '../../../src/contract/issues.ts';
import { ApiError, call, errorMessage } from '../api.ts';
import { useChanges } from '../hooks/use-changes.tsx';

const PAUSE_MS = 180;

interface Previewed {
	request: string;
	key?: string;
	body: {
		target?: unknown;
		channels?: unknown;
		activity_id?: unknown;
		push?: { target?: unknown };
	};
}

/** The parts of a request that decide whom it reaches. */
function recipientsIn({ request, key, body }: Previewed): string {
	const { target, channels, activity_id: id, push } = body;
	return JSON.stringify([request, key, target, channels, id, push?.target]);
}

interface Preview {
	shown: PlaygroundPreview | undefined;
	/** The server's reason for refusing it. */
	problem: string | undefined;
	/** The reason by field. */
	issues: readonly RequestIssue[];
}

interface Asked extends Preview {
	name?: string;
	/** The recipients of what is shown. */
	to?: string | undefined;
	/** The body that was refused. */
	refused?: string | undefined;
}

const NOTHING: Preview = { shown: undefined, problem: undefined, issues: [] };

/**
 * The request as a phone would show it, by the server's own rules, shortly after typing pauses. If the
 * request would be refused, the last good preview of the same kind of request stays.
 * @param request undefined: not known yet
 * @returns with the phones that it would reach: null if it would be refused or is not for phones, undefined until known
 */
export function usePreview(
	request: Previewed | undefined,
): Preview & { phones: number | null | undefined } {
	const body = request && JSON.stringify(request);
	const name = request?.request;
	const to = request && recipientsIn(request);
	const { isConnected } = useChanges();
	const [preview, setPreview] = useState<Asked>(NOTHING);
	useEffect(() => {
		if (body === undefined) return undefined;
		let isCurrent = true;
		const timer = setTimeout(() => {
			call('POST /playground/preview', JSON.parse(body) as object).then(
				(shown) => isCurrent && setPreview({ name, to, shown, problem: undefined, issues: [] }),
				(error: unknown) =>
					isCurrent &&
					setPreview((last) => ({
						name,
						...(last.name === name ? { shown: last.shown, to: last.to } : { shown: undefined }),
						refused: error instanceof ApiError && error.status === 400 ? body : undefined,
						problem: errorMessage(error),
						issues: error instanceof ApiError ? error.issues : [],
					})),
			);
		}, PAUSE_MS);
		return () => {
			isCurrent = false;
			clearTimeout(timer);
		};
	}, [body, name, isConnected]);
	if (body === undefined || preview.name !== name) return { ...NOTHING, phones: undefined };
	const known = preview.to === to ? preview.shown?.phones : undefined;
	return { ...preview, phones: known ?? (preview.refused === body ? null : known) };
}
