import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import { isObject } from '../../../src/answer';
import { fillsBody } from '../../shared/declared/hooks';
import { channel, channelList } from '../../shared/fields/rules';

const rules = { entry: channel, list: channelList };

/** True if nothing is chosen in the panel. An expression that gives no channel is a mistake. */
function isLeftEmpty(context: IExecuteSingleFunctions): boolean {
	const options: unknown = context.getNode().parameters['options'];
	const chosen = isObject(options) ? options['channels'] : undefined;
	return Array.isArray(chosen) && chosen.length === 0;
}

/** @param property the place of the channels in the request */
const sendsChannels = (property: string) =>
	fillsBody(property, (read, context) =>
		isLeftEmpty(context) ? undefined : read.list(property, 'options.channels', rules),
	);

const sendTarget = sendsChannels('target.channels');

/** Channels in the form that only streams use. */
const sendChannels = sendsChannels('channels');

/** For the options of every operation that chooses its recipients. */
export const channelsField: INodeProperties = {
	displayName: 'Channel Names or IDs',
	name: 'channels',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getChannels' },
	default: [],
	description:
		'Send only to the phones in these channels. The ID of a channel is its slug; an expression gives an array, or text with commas or lines between them. If left empty, the API key decides. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	routing: { send: { preSend: [sendTarget] } },
};

/** For streams, which choose their recipients anew with each request (docs/api-decisions.md "Streams"). */
export const streamChannelsField: INodeProperties = {
	...channelsField,
	description: `${channelsField.description ?? ''} Give the same channels with every update: without them the Live Activity moves to all phones of the key.`,
	routing: { send: { preSend: [sendChannels] } },
};
