import type { INodeProperties } from 'n8n-workflow';

import { collection, field, numeric, toggle } from './field';

/**
 * Shown among the node's settings, as in n8n's declarative nodes. It has no batching: the node itself
 * waits for its allowance.
 */
export const requestOptionsField: INodeProperties = {
	...collection('Request Options', 'requestOptions', 'Add option', [
		field('Ignore SSL Issues (Insecure)', 'allowUnauthorizedCerts', {
			description: 'Whether to connect even if SSL certificate validation is not possible',
			...toggle(false),
			noDataExpression: true,
		}),
		field('Proxy', 'proxy', {
			description: 'HTTP proxy to use',
			placeholder: 'e.g. http://username:password@myproxy:3128',
		}),
		field('Timeout', 'timeout', {
			description: 'How long to wait for the server to respond, in milliseconds',
			...numeric({ minValue: 1 }, 10000),
		}),
	]),
	isNodeSetting: true,
};
