import type { IDataObject } from 'n8n-workflow';

/**
 * The fields that have a value. Only what the user filled in is sent: the service keeps what an
 * update leaves out.
 */
export function compact(fields: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
