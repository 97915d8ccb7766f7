import { fillsBody } from '../../shared/declared/hooks';
import { tag, tagList } from '../../shared/fields/bounds';
import { field, sendsBy } from './field';

const rules = { entry: tag, list: tagList };

const sendTags = fillsBody('tags', (read) => read.list('tags', 'options.tags', rules));

/** For the options of operations that create something. */
export const tagsField = field(
	'Tags',
	'tags',
	'Labels to filter the history by, separated by commas or lines, or an expression that gives an array. Up to 20, of lowercase letters, digits, dashes, underscores, periods and colons.',
	{ placeholder: 'e.g. deploy, env:production', ...sendsBy(sendTags) },
);

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
		description: `${tagsField.description} They replace the current ones; without this option, the current ones stay.`,
	},
	field('Clear Tags', 'clearTags', 'Whether to remove all tags', {
		type: 'boolean',
		default: true,
		...sendsBy(sendNoTags),
	}),
];
