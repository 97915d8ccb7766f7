import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { toPhoneSlug } from '../../src/service/sending/audience.ts';
import { STATES } from '../support/samples.ts';
import type { Method } from '../support/server.ts';
import { ASKED, cardsOn, done, shows, startTeam, type Team } from './support/team.ts';

/** Attempts by the console's number of phones and "Send again", and with a limited key whose channels change. */

const SESSION = 'session-of-n8n-1';
const toOps = { target: { channels: ['ops'] } };

let team: Team;
beforeAll(async () => {
	team = await startTeam({ BECKON_PUBLIC_URL: 'https://beckon.example.com' });
});
afterEach(async () => {
	// An account has few Live Activities at a time.
	const { read } = team.server.context.database;
	const running = read.selectFrom('activities').select('id').where('ended_at', 'is', null);
	for (const { id } of await running.execute())
		await team.olga.call('POST', `/activities/${id}/end`, {});
});
afterAll(() => team.server.close());

const call = (method: Method, path: string, body?: object, key = team.ops) =>
	team.server.call(method, path, body, { key });
const byAccount = (method: Method, path: string, body?: object) =>
	call(method, path, body, team.server.account.key);
const phones = () => [team.ada, team.bob, team.stranger, team.server.phone];

/** What phones other than Ada's see, whatever is tried with the key of `ops`. */
async function expectOnlyAda(attempt: () => Promise<unknown>): Promise<void> {
	const { bob, stranger, server } = team;
	const seen = () =>
		Promise.all([bob, stranger, server.phone].flatMap((one) => [one.inbox(), cardsOn(one)]));
	const before = await seen();
	await attempt();
	expect(await seen()).toEqual(before);
}

/** The id of the entry that a request has made. */
async function entryOf(path: string, body: object, method: Method = 'POST') {
	const { status, headers } = await byAccount(method, path, body);
	expect(status).toBe(200);
	return String(headers['beckon-history-id']);
}
const sendAgain = (id: string, by = team.olga) => by.call('POST', `/history/${id}/send`);

describe('a mass action says another number than it reaches', () => {
	const startOn = async (more: object = {}) =>
		(
			await done(
				byAccount('POST', '/live-activity/start', { content_state: STATES.alert, ...more }),
			)
		)['activity_id'];
	const REQUESTS: Record<string, () => Promise<object>> = {
		'a badge for all': async () => ({ request: 'badge', body: { badge: 1 } }),
		'a badge for a channel': async () => ({ request: 'badge', body: { badge: 1, ...toOps } }),
		'a start for all': async () => ({ request: 'start', body: { content_state: STATES.alert } }),
		'a start for a channel twice': async () => ({
			request: 'start',
			body: { content_state: STATES.alert, target: { channels: ['ops', 'sales'] } },
		}),
		'an update of what one phone shows': async () => ({
			request: 'update',
			body: { activity_id: await startOn(toOps), content_state: { title: 'New' } },
		}),
		'an update of what one of all has left': async () => {
			const activity_id = await startOn();
			await team.setChannel('ops', ['Ada']);
			return { request: 'update', body: { activity_id, content_state: { title: 'New' } } };
		},
		'an end for a channel': async () => ({
			request: 'end',
			body: { activity_id: await startOn(toOps), content_state: {} },
		}),
		'a stream that goes on without channels': async () => {
			await done(
				byAccount('PUT', '/live-activity/stream/m1', { ...shows('A'), channels: ['ops'] }),
			);
			return { request: 'stream', key: 'm1', body: shows('B') };
		},
		'a stream that goes on with another channel': async () => {
			await done(
				byAccount('PUT', '/live-activity/stream/m2', { ...shows('A'), channels: ['ops'] }),
			);
			return { request: 'stream', key: 'm2', body: { ...shows('B'), channels: ['sales'] } };
		},
		'the end of a stream': async () => {
			await done(
				byAccount('PUT', '/live-activity/stream/m3', { ...shows('A'), channels: ['ops'] }),
			);
			return { request: 'stream_end', key: 'm3', body: {} };
		},
	};
	it.each(Object.keys(REQUESTS))('of %s', async (what) => {
		const sent = await REQUESTS[what]!();
		const preview = await done(team.olga.call('POST', '/playground/preview', sent));
		const body = await done(team.olga.call('POST', '/playground/send', sent));
		expect(body['devices_notified']).toBe(preview['phones']);
	});

	it('of an activity of another account, which is not told', async () => {
		const started = await call('POST', '/live-activity/start', shows('Theirs'), team.strangersKey);
		expect(started.body).toMatchObject({ success: true });
		const { activity_id } = started.body;
		const sent = { request: 'update', body: { activity_id, content_state: { title: 'New' } } };
		const preview = await team.olga.call('POST', '/playground/preview', sent);
		expect(preview.status).toBe(400);
		expect(JSON.stringify(preview.body)).not.toContain('Theirs');
		expect((await team.olga.call('POST', '/playground/send', sent)).status).toBe(403);
	});
});

describe('what is sent again is more than was sent', () => {
	it.each<[string, () => Promise<string>]>([
		[
			'a question with its escalation',
			() =>
				entryOf('/questions', {
					...ASKED,
					...toOps,
					escalate: { after_minutes: 1, target: { channels: ['sales'] } },
				}),
		],
		['a Live Activity', () => entryOf('/live-activity/start', { ...shows('A'), ...toOps })],
		[
			'a stream',
			() => entryOf('/live-activity/stream/again', { ...shows('A'), channels: ['ops'] }, 'PUT'),
		],
		['a badge', () => entryOf('/badge', { badge: 3, ...toOps })],
		['what is none', async () => randomUUID()],
	])('%s', async (_what, make) => {
		const id = await make();
		const before = await Promise.all(phones().map((phone) => phone.inbox()));
		for (const by of [team.olga, team.max]) expect((await sendAgain(id, by)).status).toBe(404);
		expect(await Promise.all(phones().map((phone) => phone.inbox()))).toEqual(before);
	});

	it('a repeat: it is one push, and repeats nothing', async () => {
		const repeat = { every_minutes: 1, times: 3 };
		const id = await entryOf('/push-notification/repeated', {
			push: { title: 'Again', ...toOps },
			repeat,
		});
		const repeats = () =>
			team.server.context.database.read.selectFrom('repeats').selectAll().execute();
		const before = (await repeats()).length;
		await expectOnlyAda(async () => done(sendAgain(id)));
		expect(await repeats()).toHaveLength(before);
	});

	it('with a button whose trigger has been forgotten, or is another account’s', async () => {
		const id = `trg_${'z'.repeat(43)}`;
		await done(byAccount('PUT', `/triggers/${id}`, { name: 'Go', session: SESSION }));
		const url = `https://beckon.example.com/api/triggers/${id}`;
		const actions = [{ title: 'Go', type: 'webhook', url }];
		const entry = await entryOf('/push-notification', { title: 'T', actions, ...toOps });
		await team.server.context.database.write(team.server.account.id, (db) =>
			db.deleteFrom('triggers').where('id', '=', id).execute(),
		);
		await done(call('PUT', `/triggers/${id}`, { name: 'X', session: SESSION }, team.strangersKey));
		const before = (await team.ada.inbox()).length;
		const { status } = await sendAgain(entry);
		expect([status, (await team.ada.inbox()).length]).toEqual([400, before]);
	});

	it('with more than an id in its request', async () => {
		const id = await entryOf('/push-notification', { title: 'Less', ...toOps });
		await expectOnlyAda(async () => {
			for (const more of ['?target=sales', '?among=all', '?channels='])
				await team.olga.call('POST', `/history/${id}/send${more}`);
			await team.olga.call('POST', `/history/${id}/send`, { target: { channels: ['sales'] } });
		});
	});
});

describe('a limited key goes beyond its channels', () => {
	it.each(['Board', 'board%20', '%62oard', 'board%00', 'board/', 'bo%C3%A4rd', '../board'])(
		'by a stream of others, spelled %s',
		async (key) => {
			await done(
				byAccount('PUT', '/live-activity/stream/board', { ...shows('Kept'), channels: ['sales'] }),
			);
			await expectOnlyAda(async () => {
				await call('PUT', `/live-activity/stream/${key}`, { ...shows('X'), channels: ['ops'] });
				await call('PUT', `/live-activity/stream/${key}`, shows('X'));
				await call('DELETE', `/live-activity/stream/${key}`, {});
			});
			expect(await cardsOn(team.bob)).toContain('Kept');
			await byAccount('DELETE', '/live-activity/stream/board', {});
		},
	);

	const SPELLED: Record<string, () => string[]> = {
		'in capitals': () => ['SALES'],
		'with a blank': () => [' sales'],
		'with a blank that nobody sees': () => ['sales\u200B'],
		'with a mark of direction': () => ['\u200Esales'],
		'in wide letters': () => ['ｓａｌｅｓ'],
		'as a phone in capitals': () => [toPhoneSlug(team.bob.id).toUpperCase()],
		'as a phone without its word': () => [team.bob.id],
		'behind its own channel': () => ['ops', 'ops', 'sales'],
		'as a path': () => ['ops/../sales'],
		'as what every list has': () => ['length', '__proto__'],
	};
	it.each(Object.keys(SPELLED))('by a channel that is named %s', async (how) => {
		const target = { channels: SPELLED[how]!() };
		await expectOnlyAda(async () => {
			const tries: Array<[string, object]> = [
				['/push-notification', { title: 'A', target }],
				['/questions', { ...ASKED, target }],
				['/questions', { ...ASKED, ...toOps, escalate: { after_minutes: 1, target } }],
				['/badge', { badge: 9, target }],
				['/live-activity/start', { ...shows('X'), target }],
			];
			for (const [path, body] of tries)
				expect([path, [400, 403].includes((await call('POST', path, body)).status)]).toEqual([
					path,
					true,
				]);
		});
	});

	it('by tags that others use: they group, and give nothing', async () => {
		const tags = ['incident'];
		await done(byAccount('POST', '/push-notification', { title: 'Salary', tags, ...onSales() }));
		await expectOnlyAda(async () => {
			const { body } = await call('POST', '/push-notification', { title: 'A', tags });
			expect(JSON.stringify(body)).not.toMatch(/Salary|sales/);
		});
		for (const path of [
			'/push-notification?tag=incident',
			'/history?tag=incident',
			'/tags/incident',
		])
			for (const method of ['GET', 'DELETE'] as const)
				expect((await call(method, path)).status).toBeGreaterThanOrEqual(400);
	});

	const onSales = () => ({ target: { channels: ['sales'] } });
	const id = (letter: string) => `trg_${letter.repeat(43)}`;
	const register = (which: string, key: string) =>
		call('PUT', `/triggers/${which}`, { name: 'Go', session: SESSION }, key);
	const buttonFor = (which: string) => [
		{ title: 'Go', type: 'webhook', url: `https://beckon.example.com/api/triggers/${which}` },
	];

	/** As if a channel were deleted, which its keys prevent while they are not revoked. */
	const loseChannels = (key: string) =>
		team.server.context.database.write(team.server.account.id, (db) =>
			db
				.deleteFrom('api_key_channels')
				.where('api_key_id', 'in', (from) =>
					from.selectFrom('api_keys').select('id').where('last_four', '=', key.slice(-4)),
				)
				.execute(),
		);

	it('by the trigger of a revoked key whose channels have all been deleted', async () => {
		const { server, olga } = team;
		await server.addChannel('lost', { users: ['Bob'] });
		const left = await server.addKey(server.account.id, ['lost']);
		await done(register(id('d'), left));
		await server.revokeKey(server.account.id, left);
		await done(olga.call('DELETE', '/channels/lost'));
		for (const key of [team.ops, team.sales])
			expect((await register(id('d'), key)).status).toBe(404);
	});

	it('by that of one of whose channels one has been deleted: nobody of it starts it', async () => {
		const { server, olga, bob } = team;
		await server.addChannel('half', { users: ['Bob'] });
		const left = await server.addKey(server.account.id, ['ops', 'half']);
		await done(register(id('h'), left));
		const actions = buttonFor(id('h'));
		const target = { channels: ['half'] };
		await done(call('POST', '/push-notification', { title: 'H', actions, target }, left));
		const delivery_id = (await bob.inbox()).at(-1).id;
		await server.revokeKey(server.account.id, left);
		expect((await register(id('h'), team.ops)).status).toBe(404);
		await done(olga.call('DELETE', '/channels/half'));
		expect((await register(id('h'), team.ops)).status).toBe(404);
		const tap = { tap_id: randomUUID(), delivery_id, action: 0 };
		expect((await bob.call('POST', '/taps', tap)).body).toMatchObject({ outcome: 'refused' });
		await done(byAccount('PUT', `/triggers/${id('h')}`, { name: 'Go', session: SESSION }));
		const { taps } = await done(byAccount('GET', `/triggers/${id('h')}/taps?session=${SESSION}`));
		expect(taps).toEqual([]);
	});

	it('by a tap that waited for a key of more channels, one of which has been deleted since', async () => {
		const { server, olga, bob } = team;
		await server.addChannel('part', { users: ['Bob'] });
		const left = await server.addKey(server.account.id, ['ops', 'part']);
		await done(register(id('p'), left));
		const actions = buttonFor(id('p'));
		const target = { channels: ['part'] };
		await done(call('POST', '/push-notification', { title: 'P', actions, target }, left));
		const delivery_id = (await bob.inbox()).at(-1).id;
		await done(bob.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 }));
		await server.revokeKey(server.account.id, left);
		await done(olga.call('DELETE', '/channels/part'));
		expect((await register(id('p'), team.ops)).status).toBe(404);
		expect((await call('GET', `/triggers/${id('p')}/taps?session=${SESSION}`)).status).toBe(404);
	});

	it('when it has lost all of them: it sends nothing, to nobody', async () => {
		const { server } = team;
		const key = await server.addKey(server.account.id, ['ops']);
		await done(register(id('n'), key));
		await loseChannels(key);
		const before = await Promise.all(phones().map((phone) => phone.inbox()));
		const actions = buttonFor(id('n'));
		const tries = [
			await call('POST', '/push-notification', { title: 'A', actions }, key),
			await call('POST', '/push-notification', { title: 'A', ...toOps }, key),
			await call('POST', '/questions', ASKED, key),
			await call('POST', '/badge', { badge: 1 }, key),
			await call('POST', '/live-activity/start', shows('X'), key),
			await call('PUT', '/live-activity/stream/anew', shows('X'), key),
			await call('GET', `/triggers/${id('n')}/taps?session=${SESSION}`, undefined, key),
		];
		expect(tries.filter(({ status }) => status < 400)).toEqual([]);
		expect(await Promise.all(phones().map((phone) => phone.inbox()))).toEqual(before);
		for (const list of [
			'/channels',
			'/phones',
			'/people',
			'/live-activity/streams',
			'/questions',
		]) {
			const { body } = await call('GET', list, undefined, key);
			expect([list, JSON.stringify(body)]).toEqual([
				list,
				expect.not.stringMatching(/Ada|Bob|Olga|"ops"|sales/),
			]);
		}
	});

	it('by a channel that gets more people: it tells them nothing of before', async () => {
		const { bob } = team;
		await done(call('POST', '/push-notification', { title: 'Before' }));
		const { question_id } = await done(call('POST', '/questions', ASKED));
		const before = await bob.inbox();
		await team.setChannel('ops', ['Ada', 'Bob']);
		expect(await bob.inbox()).toEqual(before);
		const tried = { tap_id: randomUUID(), choice: 'yes' };
		expect((await bob.call('POST', `/questions/${question_id}/answer`, tried)).status).toBe(404);
		await team.setChannel('ops', ['Ada']);
		await done(call('DELETE', `/questions/${question_id}`));
	});
});
