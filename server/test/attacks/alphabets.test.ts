import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTeam, type Team } from './support/team.ts';

/** Attempts to be taken for another person by a name that is written in one alphabet, and read in another. */

let team: Team;
beforeAll(async () => {
	team = await startTeam();
	for (const name of ['Hugo', 'Kate', 'Papa', 'Nina', 'Zoë', 'Straße', 'Нина', 'Ελενη', 'Արամ'])
		expect((await team.olga.call('POST', '/users', { name })).status).toBe(200);
});
afterAll(() => team.server.close());

describe('a member takes the name of another, written in letters', () => {
	it.each([
		['of the Lisu', 'ꓳꓡꓖꓮ'],
		['of the Lisu, as capitals of a name', 'ꓐꓳꓐ'],
		['of the Lisu, with a space between', 'ꓮꓓꓮ '],
		['of the Cherokee', 'ᎪᎠᎪ'],
		['that are small capitals', 'ᴏʟɢᴀ'],
		['that are small capitals but the first', 'Oʟɢᴀ'],
		['that are small capitals of another name', 'ᴋᴀᴛᴇ'],
		['of the Armenians', 'հսցօ'],
		['of Russian, also small ones', 'Кате'],
		['of Russian, that are small capitals', 'кате'],
		['of Greek, also small ones', 'Ραρα'],
		['of the Copts', 'ⲚⲒⲚⲀ'],
		['with marks that are put together otherwise', 'Zoe\u0308'],
		['with another kind of s', 'STRASSE'],
		['of mathematics', '𝓞𝓵𝓰𝓪'],
		['with a dotless i', 'Nına'],
		['in Russian capitals', 'НИНА'],
		['in Greek capitals', 'ΕΛΕΝΗ'],
		['in Armenian capitals', 'ԱՐԱՄ'],
	])('%s: %s', async (_which, name) => {
		expect([name, (await team.max.call('PUT', '/profile', { name })).status]).toEqual([name, 409]);
		expect([name, (await team.olga.call('POST', '/users', { name })).status]).toEqual([name, 409]);
	});

	it('but a name of one’s own in them is free, and no list loses one', async () => {
		const names = ['Анна', 'Μαρία', 'ꓡꓲꓢꓴ', 'ᏣᎳᎩ', 'Ünal', '李', '👩‍🚀 Ziggy', 'zoe', 'Zz'];
		for (const name of names)
			expect([name, (await team.olga.call('POST', '/users', { name })).status]).toEqual([
				name,
				200,
			]);
		const listed: string[] = [];
		for (let after: string | null = ''; after !== null;) {
			const query: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
			const { body } = await team.server.call('GET', `/people?limit=1${query}`);
			listed.push(...body['people'].map(({ name }: any) => name));
			after = body['next'];
		}
		expect(listed).toEqual(expect.arrayContaining(names));
		expect(new Set(listed).size).toBe(listed.length);
	});
});
