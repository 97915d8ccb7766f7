import type { IDataObject } from 'n8n-workflow';

/** One request to the service. */
export interface BeckonCall {
	method: 'POST' | 'PUT' | 'DELETE';
	/** Relative to the credential's base URL, path segments already encoded. */
	path: string;
	body: IDataObject;
}
