import type { IDataObject } from 'n8n-workflow';

/**
 * Keeps only the fields that have a value. The request holds just what the user filled in: the service
 * keeps what an update leaves out.
 */
export function compact(fields: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as IDataObject;
}

/** The parameter of a field has the field's name in the request, in n8n's spelling: `durationSeconds`. */
export const camelCase = (name: string): string =>
	name.replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
