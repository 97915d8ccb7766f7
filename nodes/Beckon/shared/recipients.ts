import { isResourceLocatorValue, type IExecuteSingleFunctions } from 'n8n-workflow';

import { isExpression } from '../../shared/declared/expressions';
import { checks, fillsBody } from '../../shared/declared/hooks';
import { channel, channelList } from '../../shared/fields/bounds';
import { matching } from '../../shared/fields/rules';
import { choice, field, sendsBy, shownFor, shownIf } from './field';
import { pickedKey } from './pickers/key-field';

const ALL = 'all';
const CHANNELS = 'channels';
const PHONE = 'phone';

export const channelRules = { entry: channel, list: channelList };

/** The value in the panel: a choice, or an unresolved expression. */
function inPanel(context: IExecuteSingleFunctions, parameter: string): unknown {
	const held = context.getNode().parameters[parameter];
	return isResourceLocatorValue(held) ? held.value : held;
}

/** An expression with a misspelled name must not mean everybody. */
const namesNone = (chosen: unknown, what: string) =>
	isExpression(chosen)
		? `must name at least one ${what}, but the expression ${String(chosen).slice(1)} gave nothing, and without channels the message would reach every phone of the key: correct the expression`
		: 'is required';

/** The service also accepts a channel here: an expression or an agent could name one that reaches everybody. */
const onePhone = matching(
	/^phone-[0-9a-f]{24}$/,
	'must be one phone: choose it from the list, or give its ID, like phone-5f0c1e0a6a534f0e9d0b6c6b',
);

/** @param property the place of the channels in the request */
const sendsChannels = (property: string) =>
	fillsBody(property, (read, context) => {
		const words = namesNone(inPanel(context, CHANNELS), 'channel');
		return read.required(property, read.list(property, CHANNELS, channelRules), words);
	});

const sendsPhone = (property: string) =>
	fillsBody(property, (read, context) => {
		const words = namesNone(inPanel(context, PHONE), 'phone');
		const phone = read.required(property, read.text(property, PHONE, onePhone), words);
		return phone === undefined ? undefined : [phone];
	});

export const channelsField = field('Channel Names or IDs', 'channels', {
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getChannels' },
	default: [],
});

const listed = matching(
	/^(all|channels|phone)$/,
	'must be all, channels or phone: it takes no expression, and with anything else the message would reach every phone of the key',
);

const sendTo = field('Send To', 'sendTo', {
	description: 'Who gets it',
	...choice(ALL, {
		[ALL]: ['All Phones', 'All that the API key reaches'],
		[CHANNELS]: ['Channels', 'Groups of phones, made in the console'],
		[PHONE]: ['One Phone', 'One that you choose from a list'],
	}),
	noDataExpression: true,
	...sendsBy(checks((read) => read.required('sendTo', read.text('sendTo', 'sendTo', listed)))),
});

/**
 * The fields that choose who is reached, the same in all operations that reach phones.
 * @param isStream streams choose their recipients again with each request (docs/api-decisions.md "Streams")
 */
export function recipientFields(resource: string, operation: string[], isStream = false) {
	const property = isStream ? 'channels' : 'target.channels';
	return shownFor({ resource: [resource], operation }, [
		{
			...sendTo,
			...(isStream && { description: 'Who gets it. Choose the same with every update.' }),
		},
		{
			...channelsField,
			required: true,
			...shownIf({ sendTo: [CHANNELS] }),
			...sendsBy(sendsChannels(property)),
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
