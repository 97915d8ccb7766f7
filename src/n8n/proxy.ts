import type { IHttpRequestOptions } from 'n8n-workflow';

/** A proxy as people write it, `http://user:password@host:3128`; undefined if it is not a URL. */
export function readProxy(address: string): IHttpRequestOptions['proxy'] {
	const parts = /^(https?):\/\/(?:([^:@/]*):([^@/]*)@)?([^:@/]+):(\d+)\/?$/i.exec(address.trim());
	if (!parts) return undefined;
	const [, protocol = 'http', username, password = '', host = '', port] = parts;
	return {
		protocol,
		host,
		port: Number(port),
		...(username !== undefined && { auth: { username, password } }),
	};
}
