import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';

type Send = (server: TestServer, tags: unknown) => Promise<Answer>;

/** Every request that takes tags; each needs its own Live Activity or stream. */
const PLACES: Array<[string, Send]> = [
	[
		'POST /push-notification',
		(server, tags) => server.call('POST', '/push-notification', { title: 'Hello', tags }),
	],
	[
		'PUT /live-activity/stream/{stream_key}',
		(server, tags) =>
			server.call('PUT', '/live-activity/stream/s', { content_state: STATES.alert, tags }),
	],
	[
		'DELETE /live-activity/stream/{stream_key}',
		async (server, tags) => {
			await server.call('PUT', '/live-activity/stream/s', { content_state: STATES.alert });
			return server.call('DELETE', '/live-activity/stream/s', { tags });
		},
	],
	[
		'POST /live-activity/start',
		async (server, tags) => {
			const answer = await server.call('POST', '/live-activity/start', {
				content_state: STATES.alert,
				tags,
			});
			if (answer.status === 200) await change(server, 'end', answer.body['activity_id'], undefined);
			return answer;
		},
	],
	[
		'POST /live-activity/update',
		async (server, tags) => {
			const id = await startOne(server);
			const answer = await change(server, 'update', id, tags);
			await change(server, 'end', id, undefined);
			return answer;
		},
	],
	[
		'POST /live-activity/end',
		async (server, tags) => {
			const id = await startOne(server);
			const answer = await change(server, 'end', id, tags);
			await change(server, 'end', id, undefined);
			return answer;
		},
	],
];

async function startOne(server: TestServer): Promise<string> {
	await server.call('DELETE', '/live-activity/stream/s');
	const { body } = await server.call('POST', '/live-activity/start', {
		content_state: STATES.alert,
	});
	return body['activity_id'];
}

const change = (server: TestServer, verb: string, activityId: string, tags: unknown) =>
	server.call('POST', `/live-activity/${verb}`, {
		activity_id: activityId,
		content_state: {},
		tags,
	});

describe.each(PLACES)('tags of %s', (_place, send) => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	it.each<[string, string[]]>([
		['none', []],
		['a letter', ['a']],
		[
			'every allowed character',
			['abcdefghijklmnopqrstuvwxyz', '0123456789', 'a-b_c.d:e', '-', '_', '.', ':'],
		],
		['64 characters', ['t'.repeat(64)]],
		['twenty tags', Array.from({ length: 20 }, (_, at) => `tag-${at}`)],
	])('may be %s', async (_what, tags) => {
		expect((await send(server, tags)).status).toBe(200);
	});

	it.each<[string, unknown]>([
		['a tag with an upper-case letter', ['Deploy']],
		['a tag with a space', ['a b']],
		['a tag with a slash', ['a/b']],
		['a tag with an umlaut', ['grün']],
		['a tag with a line break at its end', ['a\n']],
		['an empty tag', ['']],
		['a tag of 65 characters', ['t'.repeat(65)]],
		['a tag that is a number', [1]],
		['a tag that is null', [null]],
		['a tag twice', ['a', 'b', 'a']],
		['twenty-one tags', Array.from({ length: 21 }, (_, at) => `tag-${at}`)],
		['a text instead of a list', 'deploy'],
		['null instead of a list', null],
	])('cannot be %s', async (_what, tags) => {
		const { status, body } = await send(server, tags);
		expect(status).toBe(400);
		expect(body).toMatchObject({
			code: 'invalid_tags',
			message: expect.stringMatching(/^tags(\[\d+\])? (must|is) /),
		});
	});
});

describe('tags in answers', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	it.each<[string, Send]>(PLACES.filter(([place]) => /push|PUT|start/.test(place)))(
		'are there on %s when they were sent, an empty list too, and only then',
		async (_place, send) => {
			expect((await send(server, ['b', 'a'])).body['tags']).toEqual(['b', 'a']);
			expect((await send(server, [])).body['tags']).toEqual([]);
			expect((await send(server, undefined)).body).not.toHaveProperty('tags');
		},
	);

	it('are not blamed for another broken rule', async () => {
		const { body } = await server.call('POST', '/push-notification', { title: '', tags: ['fine'] });
		expect(body).not.toHaveProperty('code');
	});
});
