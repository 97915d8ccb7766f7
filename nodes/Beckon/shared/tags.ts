import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../../src/declared/hooks';
import { tag, tagList } from '../../../src/rules';

const tags: INodeProperties = {
	displayName: 'Tags',
	name: 'tags',
	type: 'string',
	default: '',
	placeholder: 'e.g. deploy, env:production',
	description:
		'Labels to find this again in the history, separated by commas or lines, or an expression that gives an array. Up to 20, of lowercase letters, digits, dashes, underscores, periods and colons.',
};

const rules = { entry: tag, list: tagList };

const sendTags = fillsBody('tags', (read) => read.list('tags', 'options.tags', rules));

/** For the options of operations that create something. */
export const tagsField: INodeProperties = {
	...tags,
	routing: { send: { preSend: [sendTags] } },
};

const KEEP = 'keep';
const REPLACE = 'replace';
const CLEAR = 'clear';

/** Without tags the service keeps the current ones, and an empty array clears them. */
const sendChangedTags = fillsBody('tags', (read) => {
	const mode = read.text('tags', 'tagsMode');
	if (mode === CLEAR) return [];
	if (mode !== REPLACE) return undefined;
	return read.required('tags', read.list('tags', 'tags', rules));
});

/** For operations on something that may have tags already: service-api.md "Tags (TagSlugs)". */
export const tagChangeFields: INodeProperties[] = [
	{
		displayName: 'Tags',
		name: 'tagsMode',
		type: 'options',
		default: KEEP,
		options: [
			{ name: 'Keep Current Tags', value: KEEP, description: 'Leave the tags as they are' },
			{ name: 'Replace Tags', value: REPLACE, description: 'Set the tags to the ones given here' },
			{ name: 'Clear Tags', value: CLEAR, description: 'Remove all tags' },
		],
		description: 'What happens to the tags that organize the history',
		routing: { send: { preSend: [sendChangedTags] } },
	},
	{
		...tags,
		displayName: 'New Tags',
		name: 'tags',
		displayOptions: { show: { tagsMode: [REPLACE] } },
	},
];
