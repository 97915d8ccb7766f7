import type { INodeProperties } from 'n8n-workflow';

import type { FieldReader } from '../../../src/field-reader';
import { channel, channelList } from '../../../src/rules';

const description =
	'Send only to the phones in these channels: slugs separated by commas or lines, or an expression that gives an array. When left empty, the API key decides.';

/** For the options of every operation that chooses its recipients. */
export const channelsField: INodeProperties = {
	displayName: 'Channels',
	name: 'channels',
	type: 'string',
	default: '',
	placeholder: 'e.g. on-call, family',
	description,
};

/** For streams, whose recipients are chosen anew with each request (docs/api-decisions.md "Streams"). */
export const streamChannelsField: INodeProperties = {
	...channelsField,
	description: `${description} Give the same channels with every update: without them the Live Activity moves to all phones of the key.`,
};

export function channelsOf(read: FieldReader): string[] | undefined {
	return read.list('channels', 'options.channels', { entry: channel, list: channelList });
}

/** The form in which all endpoints but the stream's take their channels. */
export function targetOf(read: FieldReader): { channels: string[] } | undefined {
	const channels = channelsOf(read.inside('target'));
	return channels && { channels };
}
