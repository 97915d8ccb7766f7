import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { isObject } from '../../../src/rules/answer';
import { isExpression } from '../../shared/declared/expressions';
import { fillsBody } from '../../shared/declared/hooks';
import { channel, channelList } from '../../shared/fields/bounds';
import { field, sendsBy } from './field';

const rules = { entry: channel, list: channelList };

/** The field as the panel holds it: what was chosen, or an expression that is not resolved. */
function inPanel(context: IExecuteSingleFunctions): unknown {
	const options: unknown = context.getNode().parameters['options'];
	return isObject(options) ? options['channels'] : undefined;
}

/**
 * Nothing chosen means every phone of the key. An expression that gives nothing, such as one with a
 * misspelled name, must not mean that.
 * @param property the place of the channels in the request
 */
const sendsChannels = (property: string) =>
	fillsBody(property, (read, context) => {
		const chosen = inPanel(context);
		if (Array.isArray(chosen) && chosen.length === 0) return undefined;
		const channels = read.list(property, 'options.channels', rules);
		return channels === undefined && isExpression(chosen)
			? read.broken(property, gaveNothing(String(chosen).slice(1)))
			: channels;
	});

const gaveNothing = (expression: string) =>
	`must name at least one channel, but the expression ${expression} gave nothing, and without channels the message would reach every phone of the key: correct the expression, or remove the field to reach them all`;

/** For the options of every operation that chooses its recipients. */
export const channelsField = field(
	'Channel Names or IDs',
	'channels',
	'Send only to the phones in these channels. The ID of a channel is its slug; an expression gives an array, or text with commas or lines between them, and is refused if it gives nothing. If left empty, the API key decides. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	{
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getChannels' },
		default: [],
		...sendsBy(sendsChannels('target.channels')),
	},
);

/** For streams, which choose their recipients anew with each request (docs/api-decisions.md "Streams"). */
export const streamChannelsField = {
	...channelsField,
	description: `${channelsField.description} Give the same channels with every update: without them the Live Activity moves to all phones of the key.`,
	...sendsBy(sendsChannels('channels')),
};
