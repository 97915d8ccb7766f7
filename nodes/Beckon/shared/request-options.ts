import type { INodeProperties } from 'n8n-workflow';

import type { FieldReader } from '../../../src/field-reader';
import { proxyOf } from '../../../src/proxy';
import { atLeast } from '../../../src/rules';
import type { SendOptions } from '../../../src/send-once';

/**
 * Among the node's settings, as n8n's declarative nodes have them. Without batching: the node itself
 * waits for its allowance.
 */
export const requestOptionsField: INodeProperties = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	isNodeSetting: true,
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Ignore SSL Issues (Insecure)',
			name: 'allowUnauthorizedCerts',
			type: 'boolean',
			noDataExpression: true,
			default: false,
			description: 'Whether to connect even if SSL certificate validation is not possible',
		},
		{
			displayName: 'Proxy',
			name: 'proxy',
			type: 'string',
			default: '',
			placeholder: 'e.g. http://username:password@myproxy:3128',
			description: 'HTTP proxy to use',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 10000,
			description: 'How long to wait for the server to respond, in milliseconds',
		},
	],
};

export function requestOptionsOf(
	read: FieldReader,
): Pick<SendOptions, 'timeout' | 'proxy' | 'skipSslCertificateValidation'> {
	const proxy = read.text('proxy', 'requestOptions.proxy');
	const address = proxy === undefined ? undefined : proxyOf(proxy);
	if (proxy !== undefined && !address) {
		read.broken('proxy', 'must be a URL with a port, like http://myproxy:3128');
	}
	return {
		timeout: read.number('timeout', 'requestOptions.timeout', atLeast(1)),
		skipSslCertificateValidation: read.flag(
			'allowUnauthorizedCerts',
			'requestOptions.allowUnauthorizedCerts',
		),
		...(address && { proxy: address }),
	};
}
