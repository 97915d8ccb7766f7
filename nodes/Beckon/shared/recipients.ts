import { isResourceLocatorValue, type IExecuteSingleFunctions } from 'n8n-workflow';

import { isExpression } from '../../shared/declared/expressions';
import { fillsBody } from '../../shared/declared/hooks';
import { channel, channelList } from '../../shared/fields/bounds';
import { valueAt } from '../../shared/fields/field-reader';
import { choice, field, sendsBy, shownFor, shownIf } from './field';
import { pickedKey } from './pickers/key-field';

const ALL = 'all';
const CHANNELS = 'channels';
const PHONE = 'phone';

/** Version 1 of the node has the channels among its options; without them, it sends to all phones. */
const IN_OPTIONS = 'options';

export const channelRules = { entry: channel, list: channelList };

/** What the panel holds: a choice, or an expression that is not resolved. */
function inPanel(context: IExecuteSingleFunctions, parameter: string): unknown {
	const held = valueAt(context.getNode().parameters, parameter);
	return isResourceLocatorValue(held) ? held.value : held;
}

/** An expression with a misspelled name must not mean everybody. */
const namesNone = (chosen: unknown, what: string) =>
	isExpression(chosen)
		? `must name at least one ${what}, but the expression ${String(chosen).slice(1)} gave nothing, and without channels the message would reach every phone of the key: correct the expression`
		: 'is required';

/** @param property the place of the channels in the request */
const sendsChannels = (property: string, parameter: string) =>
	fillsBody(property, (read, context) => {
		const chosen = inPanel(context, parameter);
		const isOption = parameter !== CHANNELS;
		if (isOption && Array.isArray(chosen) && chosen.length === 0) return undefined;
		const channels = read.list(property, parameter, channelRules);
		return isOption && !isExpression(chosen)
			? channels
			: read.required(property, channels, namesNone(chosen, 'channel'));
	});

const sendsPhone = (property: string) =>
	fillsBody(property, (read, context) => {
		const words = namesNone(inPanel(context, PHONE), 'phone');
		const phone = read.required(property, read.text(property, PHONE, channel), words);
		return phone === undefined ? undefined : [phone];
	});

export const channelsField = field('Channel Names or IDs', 'channels', {
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getChannels' },
	default: [],
});

/** For the options of operations that choose their recipients, in version 1. */
export const channelsOption = {
	...channelsField,
	...shownIf({ '/sendTo': [IN_OPTIONS] }),
	...sendsBy(sendsChannels('target.channels', 'options.channels')),
};

/** For streams, which choose their recipients anew with each request (docs/api-decisions.md "Streams"). */
export const streamChannelsOption = {
	...channelsOption,
	...sendsBy(sendsChannels('channels', 'options.channels')),
};

const sendTo = field('Send To', 'sendTo', {
	description: 'Who gets it',
	...choice(ALL, {
		[ALL]: ['All Phones of the Key', 'All that the API key reaches'],
		[CHANNELS]: ['Channels', 'Groups of phones, made in the console'],
		[PHONE]: ['One Phone', 'One that you choose from a list'],
	}),
	noDataExpression: true,
	displayOptions: { show: { '@version': [2] } },
});

/** The fields that choose who is reached, the same in all operations that reach phones. */
export function recipientFields(resource: string, operation: string[], isStream = false) {
	const property = isStream ? 'channels' : 'target.channels';
	return shownFor({ resource: [resource], operation }, [
		{
			...sendTo,
			...(isStream && { description: 'Who gets it. Choose the same with every update.' }),
		},
		{
			...sendTo,
			type: 'hidden',
			default: IN_OPTIONS,
			displayOptions: { show: { '@version': [1] } },
		},
		{
			...channelsField,
			required: true,
			...shownIf({ sendTo: [CHANNELS] }),
			...sendsBy(sendsChannels(property, CHANNELS)),
		},
		field('Phone', PHONE, {
			description: 'The phone that gets it',
			...pickedKey(
				'searchPhones',
				{ list: 'Choose a phone…', key: 'e.g. phone-5f0c1e0a6a534f0e9d0b6c6b' },
				'ID',
			),
			...shownIf({ sendTo: [PHONE] }),
			...sendsBy(sendsPhone(property)),
		}),
	]);
}
