import { listOf } from '../../src/list.ts';

test.each<[string, unknown, string[] | undefined]>([
	['a comma list', 'a, b,c', ['a', 'b', 'c']],
	['one a line, empty lines left out', 'a\n\n b \nc\n', ['a', 'b', 'c']],
	['an array of texts', ['a', ' b '], ['a', 'b']],
	['an array with a number', ['a', 7], ['a', '7']],
	['the text of a JSON array', '["a", "b"]', ['a', 'b']],
	['names in brackets that are no JSON', '[a, b]', ['a', 'b']],
	['a number', 7, ['7']],
	['an empty array, which clears', [], []],
	['an empty text', '', undefined],
	['only separators', ' , \n', undefined],
	['nothing', undefined, undefined],
	['null', null, undefined],
])('%s', (_what, value, entries) => {
	expect(listOf(value)).toEqual(entries);
});
