import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import type { FieldReader } from './field-reader';

/** One request to the service. */
export interface BeckonCall {
	method: Extract<IHttpRequestMethods, 'POST' | 'PUT' | 'DELETE'>;
	/** Relative to the credential's base URL, path segments already encoded. */
	path: string;
	body: IDataObject;
	/** Fields of the response that say again, for older clients, what others say. */
	aliases?: readonly string[];
	/** What the user can do when the service does not know what the path or the body names. */
	whenNotFound?: string;
}

/** Builds the call of one operation from what the user filled in. */
export type CallBuilder = (read: FieldReader) => BeckonCall;
