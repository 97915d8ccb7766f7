import type { FieldReader } from '../fields/field-reader';
import { readProxy } from '../../../src/n8n/proxy';
import { atLeast } from '../fields/rules';
import type { SendOptions } from '../../../src/n8n/send-once';
import type { Sending } from '../../../src/rules/transport';

export type SendingOptions = Sending & SendOptions;

/** Reads how the node sends, from its options and its settings. */
export function readSendingOptions(read: FieldReader): SendingOptions {
	const seconds = read.number('options.longestWait', 'options.longestWait', atLeast(0));
	const requests = 'options.parallelRequests';
	const parallel = read.wholeNumber(requests, requests, atLeast(1));
	return { longestWait: (seconds ?? Infinity) * 1000, parallel, ...readRequestOptions(read) };
}

/** Reads the node's settings, by the names that n8n's declarative nodes use. */
export function readRequestOptions(
	read: FieldReader,
): Pick<SendOptions, 'timeout' | 'proxy' | 'skipSslCertificateValidation'> {
	const proxy = read.text('proxy', 'requestOptions.proxy');
	const address = proxy === undefined ? undefined : readProxy(proxy);
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
