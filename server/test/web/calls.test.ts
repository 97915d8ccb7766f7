import { expect, it } from '@jest/globals';
import { toRequest } from '../../src/contract/calls.ts';

it.each([
	[undefined, '/history'],
	[{}, '/history'],
	[{ search: 'a b', limit: 5 }, '/history?search=a+b&limit=5'],
	[{ search: undefined, cursor: null, limit: 0 }, '/history?limit=0'],
	[new URLSearchParams('tags=a%2Cb'), '/history?tags=a%2Cb'],
])('sends the query %p as %s, without the parts that are not given', (query, path) => {
	expect(toRequest('GET /history', [query])).toEqual({ method: 'GET', path });
});

it('sends a parameter in the path, and the rest as the body', () => {
	const sent = toRequest('PUT /channels/:slug', ['a/b', { name: null }]);
	expect(sent).toEqual({ method: 'PUT', path: '/channels/a%2Fb', body: { name: null } });
});
