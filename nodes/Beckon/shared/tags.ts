import { fillsBody } from '../../shared/declared/hooks';
import { tag, tagList } from '../../shared/fields/bounds';
import { field, sendsBy, toggle } from './field';

const rules = { entry: tag, list: tagList };

const sendTags = fillsBody('tags', (read) => read.list('tags', 'options.tags', rules));

/** For the options of operations that create something. */
export const tagsField = field('Tags', 'tags', {
	description:
		'Up to 20 labels for the history, separated by commas: lowercase letters, digits, - _ . and :',
	placeholder: 'e.g. deploy, env:production',
	...sendsBy(sendTags),
});

const sendNoTags = fillsBody('tags', (read) => {
	if (read.flag('tags', 'options.clearTags') !== true) return undefined;
	return read.has('options.tags') ? read.broken('tags', 'cannot be set and cleared at once') : [];
});

/**
 * For the options of operations on something that may already have tags: without tags the service keeps
 * them, and an empty array clears them.
 */
export const tagChangeFields = [
	{
		...tagsField,
		description:
			'Labels that replace the current ones, separated by commas: lowercase letters, digits, - _ . and :',
	},
	field('Clear Tags', 'clearTags', {
		description: 'Whether to remove all tags',
		...toggle(true),
		...sendsBy(sendNoTags),
	}),
];
