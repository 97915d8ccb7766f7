import { useEffect, useMemo, useState } from 'react';
import { errorMessage, request } from '../api.ts';
import { useChanges } from '../hooks/use-changes.tsx';
import { type Field, readFields } from './fields.ts';
import type { RequestForm } from './requests.ts';
import type { OpenApiDocument } from './schema.ts';

/** The form's fields, as the running server describes them. */
export function useFields({ method, path }: RequestForm): {
	fields: Field[];
	error: string | undefined;
} {
	const [document, setDocument] = useState<OpenApiDocument>();
	const [error, setError] = useState<string>();
	const { isConnected } = useChanges();
	const isKnown = document !== undefined;
	useEffect(() => {
		if (isKnown || !isConnected) return undefined;
		let isCurrent = true;
		setError(undefined);
		request<OpenApiDocument>('GET', '/api/openapi.json').then(
			(answer) => isCurrent && setDocument(answer),
			(problem: unknown) => isCurrent && setError(errorMessage(problem)),
		);
		return () => {
			isCurrent = false;
		};
	}, [isKnown, isConnected]);
	const fields = useMemo(
		() => (document ? readFields(document, method, path) : []),
		[document, method, path],
	);
	// The shell says so once if the server cannot be reached.
	return { fields, error: isConnected ? error : undefined };
}
