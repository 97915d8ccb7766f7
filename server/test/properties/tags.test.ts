import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { historyOf } from '../support/history.ts';
import { scaled } from '../support/scaled.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const LIMITS = {
	BECKON_RATE_PER_ADDRESS: '10000000',
	BECKON_RATE_LIVE_ACTIVITIES: '10000000',
	BECKON_RATE_NOTIFICATIONS: '10000000',
};

/** The rule for tags, written without a regular expression. */
function isValidTag(tag: unknown): boolean {
	if (typeof tag !== 'string' || tag.length < 1 || tag.length > 64) return false;
	return [...tag].every((character) =>
		'abcdefghijklmnopqrstuvwxyz0123456789-_.:'.includes(character),
	);
}

const areValidTags = (tags: unknown): boolean =>
	Array.isArray(tags) &&
	tags.length <= 20 &&
	tags.every(isValidTag) &&
	new Set(tags).size === tags.length;

const validTag = fc.stringMatching(/^[a-z0-9._:-]{1,64}$/).filter(isValidTag);
const anyTag = fc.oneof(
	{ arbitrary: validTag, weight: 6 },
	{
		arbitrary: fc.constantFrom(
			'',
			'A',
			'a b',
			'ä',
			'a\n',
			'a,b',
			'#a',
			'x'.repeat(64),
			'x'.repeat(65),
		),
		weight: 1,
	},
	{ arbitrary: fc.string(), weight: 1 },
	{ arbitrary: fc.jsonValue({ maxDepth: 0 }), weight: 1 },
);

/** A property with this name is refused as invalid JSON, before any check of the tags. */
const anyJson = fc
	.jsonValue({ maxDepth: 1 })
	.filter((value) => !JSON.stringify(value).includes('"__proto__":'));

describe('tags', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: LIMITS });
	});
	afterAll(() => server.close());

	async function historySize(): Promise<number> {
		const rows = await server.context.database.read.selectFrom('history').select('id').execute();
		return rows.length;
	}

	it('are taken when they follow the rule, and refused as invalid_tags when they do not', async () => {
		const seen = new Set<boolean>();
		await fc.assert(
			fc.asyncProperty(
				fc.oneof(
					fc.array(anyTag, { maxLength: 24 }),
					fc.uniqueArray(validTag, { maxLength: 22 }),
					anyJson,
				),
				async (tags) => {
					const before = await historySize();
					const { status, body } = await server.call('POST', '/push-notification', {
						title: 'A',
						tags,
					});
					const valid = areValidTags(tags);
					seen.add(valid);
					expect(status).toBe(valid ? 200 : 400);
					if (valid) return expect(body['tags']).toEqual(tags);
					expect(body).toMatchObject({
						code: 'invalid_tags',
						message: expect.stringMatching(/^tags/),
					});
					return expect(await historySize()).toBe(before);
				},
			),
			{ numRuns: scaled(120) },
		);
		expect(seen).toEqual(new Set([true, false]));
	});

	const few = fc.uniqueArray(fc.constantFrom('a', 'b', 'c:1', 'd.e'), { maxLength: 4 });
	/** undefined: not sent, which keeps them. */
	const sent = fc.option(few, { nil: undefined });

	it('are kept when omitted, replaced when sent, cleared by an empty list, on streams', async () => {
		let stream = 0;
		await fc.assert(
			fc.asyncProperty(sent, fc.array(sent, { maxLength: 6 }), sent, async (first, later, last) => {
				stream += 1;
				const path = `/live-activity/stream/tags-${stream}`;
				const state = (step: number) => ({ type: 'value', title: `run ${stream}`, value: step });
				let expected = first ?? [];
				const { body } = await server.call('PUT', path, { content_state: state(0), tags: first });
				expect('tags' in body).toBe(first !== undefined);
				for (const [index, tags] of later.entries()) {
					// Every other call changes only the tags.
					const answer = await server.call('PUT', path, { content_state: state(index >> 1), tags });
					expect(answer.status).toBe(200);
					expected = tags ?? expected;
					expect(await tagsOf(body['activity_id'])).toEqual([...expected].sort());
				}
				expect((await server.call('DELETE', path, { tags: last })).status).toBe(200);
				expect(await tagsOf(body['activity_id'])).toEqual([...(last ?? expected)].sort());
			}),
			{ numRuns: scaled(60) },
		);
	});

	it('are kept when omitted, replaced when sent, cleared by an empty list, on activities by id', async () => {
		await fc.assert(
			fc.asyncProperty(sent, fc.array(sent, { maxLength: 5 }), sent, async (first, later, last) => {
				const { body } = await server.call('POST', '/live-activity/start', {
					content_state: { type: 'value', title: 'A', value: 1 },
					tags: first,
				});
				const id = body['activity_id'];
				let expected = first ?? [];
				for (const tags of later) {
					await server.call('POST', '/live-activity/update', {
						activity_id: id,
						content_state: {},
						tags,
					});
					expected = tags ?? expected;
					expect(await tagsOf(id)).toEqual([...expected].sort());
				}
				await server.call('POST', '/live-activity/end', {
					activity_id: id,
					content_state: {},
					tags: last,
				});
				expect(await tagsOf(id)).toEqual([...(last ?? expected)].sort());
			}),
			{ numRuns: scaled(60) },
		);
	});

	it('find in the history exactly what carries all of them', async () => {
		const { id, key } = await server.addAccount();
		await server.pairPhone({ account: id });
		await fc.assert(
			fc.asyncProperty(few, few, async (tags, wanted) => {
				await server.call('POST', '/push-notification', { title: 'A', tags }, { key });
				const all = await historyOf(server.context, id, { tags: [], limit: 1_000 });
				const found = await historyOf(server.context, id, { tags: wanted, limit: 1_000 });
				const expected = all.filter((entry) => wanted.every((tag) => entry.tags.includes(tag)));
				expect(new Set(found.map((entry) => entry.id))).toEqual(
					new Set(expected.map((entry) => entry.id)),
				);
			}),
			{ numRuns: scaled(40) },
		);
	});

	async function tagsOf(historyId: string): Promise<string[]> {
		const db = server.context.database.read;
		const { tags_json: told } = await db
			.selectFrom('history')
			.select('tags_json')
			.where('id', '=', historyId)
			.executeTakeFirstOrThrow();
		const rows = await db
			.selectFrom('history_tags')
			.select('tag')
			.where('history_id', '=', historyId)
			.execute();
		const tags = (JSON.parse(told ?? '[]') as string[]).sort();
		// The shown tags and the searchable ones are stored apart, and must agree.
		expect(rows.map(({ tag }) => tag).sort()).toEqual(tags);
		return tags;
	}
});
