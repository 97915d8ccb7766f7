import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../shared/declared/hooks';
import { channel, channelList } from '../../shared/fields/rules';

const rules = { entry: channel, list: channelList };

const sendTarget = fillsBody('target.channels', (read) =>
	read.list('target.channels', 'options.channels', rules),
);

/** Channels in the form that only streams use. */
const sendChannels = fillsBody('channels', (read) =>
	read.list('channels', 'options.channels', rules),
);

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
	routing: { send: { preSend: [sendTarget] } },
};

/** For streams, which choose their recipients anew with each request (docs/api-decisions.md "Streams"). */
export const streamChannelsField: INodeProperties = {
	...channelsField,
	description: `${description} Give the same channels with every update: without them the Live Activity moves to all phones of the key.`,
	routing: { send: { preSend: [sendChannels] } },
};
