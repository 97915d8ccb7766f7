import { useEffect, useMemo, useState } from 'react';
import { api, messageOf } from '../api.ts';
import { type Field, fieldsOf } from './fields.ts';
import type { RequestForm } from './requests.ts';
import type { OpenApiDocument } from './schema.ts';

/** The form's fields, as the running server describes them. */
export function useFields({ method, path }: RequestForm): {
	fields: Field[];
	error: string | undefined;
} {
	const [document, setDocument] = useState<OpenApiDocument>();
	const [error, setError] = useState<string>();
	useEffect(() => {
		let isCurrent = true;
		api.openApi<OpenApiDocument>().then(
			(answer) => isCurrent && setDocument(answer),
			(problem: unknown) => isCurrent && setError(messageOf(problem)),
		);
		return () => {
			isCurrent = false;
		};
	}, []);
	const fields = useMemo(
		() => (document ? fieldsOf(document, method, path) : []),
		[document, method, path],
	);
	return { fields, error };
}
