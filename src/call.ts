import type { IDataObject } from 'n8n-workflow';

/** One request to the service. */
export interface BeckonRequest {
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Relative to the credential's base URL, path segments already encoded. */
	path: string;
	body?: IDataObject | Buffer;
	/** For binary bodies. */
	contentType?: string;
}

/** A request that changes something. */
export interface BeckonCall extends BeckonRequest {
	method: 'POST' | 'PUT' | 'DELETE';
	body: IDataObject;
}

/** A request with the bytes of a file. */
export interface UploadCall extends BeckonRequest {
	method: 'POST';
	body: Buffer;
	contentType: string;
}
