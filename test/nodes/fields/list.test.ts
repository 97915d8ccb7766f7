import { readList } from '../../../nodes/shared/fields/list.ts';

test.each<[string, unknown, string[] | undefined]>([
	['a comma list', 'a, b,c', ['a', 'b', 'c']],
	['one a line, empty lines left out', 'a\n\n b \nc\n', ['a', 'b', 'c']],
	['an array of texts', ['a', ' b '], ['a', 'b']],
	['an array with a number', ['a', 7], ['a', '7']],
	['the text of a JSON array', '["a", "b"]', ['a', 'b']],
	['names in brackets that are no JSON', '[a, b]', ['a', 'b']],
	['a number', 7, ['7']],
	['an array with missing entries', ['a', undefined, null, ''], ['a']],
	['the text of a JSON array with missing entries', '["a", null]', ['a']],
	['an empty array, which clears', [], []],
	['an array of which nothing remains', [null, ''], []],
	['the text of an empty array', '[]', []],
	['the text of an array with an empty entry', '[""]', []],
	['brackets around separators', '[ , ]', []],
	['only separators', ' , \n', []],
	['an empty text', '', undefined],
	['only white space', ' \n', undefined],
	['nothing', undefined, undefined],
	['null', null, undefined],
])('%s', (_what, value, entries) => {
	expect(readList(value)).toEqual(entries);
});
