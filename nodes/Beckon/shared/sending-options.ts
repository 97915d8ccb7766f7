import type { FieldReader } from '../../../src/field-reader';
import { atLeast } from '../../../src/rules';
import type { SendOptions } from '../../../src/send-once';
import type { Sending } from '../../../src/transmit';
import { requestOptionsOf } from './request-options';

const DEFAULT_LONGEST_WAIT_SECONDS = 300;

const DEFAULT_PARALLEL_REQUESTS = 1000;

export type SendingOptions = Sending & Omit<SendOptions, 'baseUrl'>;

/** How the node sends, by its options and its settings. */
export function sendingOf(read: FieldReader): SendingOptions {
	const seconds = read.number('options.longestWait', 'options.longestWait', atLeast(0));
	const requests = 'options.parallelRequests';
	const parallel = read.wholeNumber(requests, requests, atLeast(1));
	return {
		longestWait: (seconds ?? DEFAULT_LONGEST_WAIT_SECONDS) * 1000,
		parallel: parallel ?? DEFAULT_PARALLEL_REQUESTS,
		...requestOptionsOf(read),
	};
}
