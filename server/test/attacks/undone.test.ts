import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { repeats } from '../../src/service/sending/repeats.ts';
import { settleDue } from '../support/later.ts';
import { endActivities, type TestPhone } from '../support/server.ts';
import { answerOn, ASKED, cardsOn, done, shows, startTeam, type Team } from './support/team.ts';

/** Attempts to get something back, or to go on with it, after one has left its channel. Bob stays in it. */

const TRIGGER = `trg_${'l'.repeat(43)}`;
const SESSION = 'session-of-n8n-1';

let team: Team;
beforeAll(async () => {
	team = await startTeam();
});
afterEach(async () => {
	await endActivities({ ...team.server, phone: team.bob });
	await team.setChannel('ops', ['Ada', 'Bob']);
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const toOps = { target: { channels: ['ops'] } };
const leave = () => team.setChannel('ops', ['Bob']);
const streamKey = () => team.unique('stream').replace(' ', '-');
const dismiss = async (phone: TestPhone, what: object) =>
	(await done(phone.call('POST', '/dismissals', what)))['undo'] as string;
const restore = (phone: TestPhone, undo: string) =>
	done(phone.call('POST', '/notifications/restore', { undo }));

/** Starts a card while both are in the channel. @returns its id, and how its workflow changes it */
const CARDS: Record<
	string,
	() => Promise<{ id: string; change: (title: string) => Promise<any> }>
> = {
	'a Live Activity': async () => {
		const { activity_id: id } = await call('POST', '/live-activity/start', {
			...shows('Old'),
			...toOps,
		});
		const change = (title: string) =>
			call('POST', '/live-activity/update', { activity_id: id, content_state: { title } });
		return { id, change };
	},
	'a stream': async () => {
		const key = streamKey();
		const put = (title: string) =>
			call('PUT', `/live-activity/stream/${key}`, { ...shows(title), channels: ['ops'] });
		const { activity_id: id } = await put('Old');
		return { id, change: put };
	},
	'a stream, addressed by the id of its activity': async () => {
		const { activity_id: id } = await call('PUT', `/live-activity/stream/${streamKey()}`, {
			...shows('Old'),
			channels: ['ops'],
		});
		const change = (title: string) =>
			call('POST', '/live-activity/update', { activity_id: id, content_state: { title } });
		return { id, change };
	},
};

describe('who has left a channel', () => {
	beforeAll(() => team.setChannel('ops', ['Ada', 'Bob']));

	it.each(Object.keys(CARDS))('goes on with %s that is still shown', async (what) => {
		const { change } = await CARDS[what]!();
		await leave();
		const before = (await team.ada.inbox()).length;
		await change('News');
		expect(JSON.stringify((await team.ada.inbox()).slice(before))).not.toContain('News');
		expect(await cardsOn(team.ada)).not.toContain('News');
		expect(await cardsOn(team.bob)).toContain('News');
	});

	it.each(Object.keys(CARDS))(
		'takes back %s that was swiped away before, in its state of today',
		async (what) => {
			const { id, change } = await CARDS[what]!();
			const undo = await dismiss(team.ada, { activity_id: id });
			await leave();
			await change('News');
			await restore(team.ada, undo);
			expect(await cardsOn(team.ada)).not.toContain('News');
			const before = (await team.ada.inbox()).length;
			await change('More news');
			expect(JSON.stringify((await team.ada.inbox()).slice(before))).not.toContain('More news');
			expect(await cardsOn(team.ada)).not.toContain('More news');
			expect(await cardsOn(team.bob)).toContain('More news');
		},
	);

	it('takes back a card on another phone of theirs', async () => {
		const tablet = await team.server.pairPhone({ user: 'Ada', name: team.unique('Tablet') });
		await done(team.ada.call('PUT', '/preferences', { seen_once: true }));
		const { id, change } = await CARDS['a Live Activity']!();
		const undo = await dismiss(team.ada, { activity_id: id });
		await leave();
		await change('News');
		await restore(tablet, undo);
		expect(await cardsOn(tablet)).not.toContain('News');
		expect(await cardsOn(team.ada)).not.toContain('News');
		await done(team.ada.call('PUT', '/preferences', { seen_once: false }));
		await tablet.call('DELETE', '/');
	});

	it('takes back a push, and its later answer with it', async () => {
		await call('POST', '/push-notification', { title: 'Old', ...toOps });
		const { id: delivery_id } = (await team.ada.inbox()).at(-1);
		const undo = await dismiss(team.ada, { delivery_id });
		await leave();
		await restore(team.ada, undo);
		const { notifications } = await team.ada.snapshot();
		expect(notifications[0]).toMatchObject({ id: delivery_id, push: { title: 'Old' } });
		expect(notifications[0].push).not.toHaveProperty('answer');
	});

	it('takes back a question, and answers it', async () => {
		const { question_id: id } = await call('POST', '/questions', { ...ASKED, ...toOps });
		const { id: delivery_id } = (await team.ada.inbox()).at(-1);
		const undo = await dismiss(team.ada, { delivery_id });
		await leave();
		await restore(team.ada, undo);
		expect((await answerOn(team.ada, id)).body).toMatchObject({ outcome: 'refused' });
		expect(await call('GET', `/questions/${id}`)).toMatchObject({ status: 'open' });
		await call('DELETE', `/questions/${id}`);
	});

	it('starts a workflow by a button that they still show', async () => {
		const path = `/triggers/${TRIGGER}`;
		await call('PUT', path, { name: 'Deploy', session: SESSION });
		const actions = [{ title: 'Go', type: 'webhook', url: `https://x.example/api${path}` }];
		await call('POST', '/push-notification', { title: 'A', actions, ...toOps });
		const { id: delivery_id } = (await team.ada.inbox()).at(-1);
		await leave();
		const tap = { tap_id: randomUUID(), delivery_id, action: 0 };
		expect((await team.ada.call('POST', '/taps', tap)).body['outcome']).toBe('refused');
		const { taps } = await call('GET', `${path}/taps?session=${SESSION}`);
		expect(taps).toEqual([]);
		// The button is still there for who may tap it.
		const bobs = { ...tap, tap_id: randomUUID(), delivery_id: (await team.bob.inbox()).at(-1).id };
		expect((await team.bob.call('POST', '/taps', bobs)).body['outcome']).toBe('called');
	});

	it('registers a token for what was taken off, to get what follows', async () => {
		const { id, change } = await CARDS['a Live Activity']!();
		await leave();
		const token = 'a1'.repeat(32);
		const registered = await team.ada.call('PUT', `/activities/${id}/token`, { token });
		expect(registered.status).toBe(404);
		await change('News');
		expect(await cardsOn(team.ada)).not.toContain('News');
	});

	it.each<[string, (delivery_id: number) => [path: string, body: object]]>([
		['a dismissal', (delivery_id) => ['/dismissals', { delivery_id }]],
		['clearing all', (up_to) => ['/notifications/clear', { up_to }]],
		[
			'a snooze',
			(delivery_id) => ['/snoozes', { delivery_id, until: 'hour', time_zone: 'Europe/Berlin' }],
		],
		['a tap', (delivery_id) => ['/taps', { tap_id: randomUUID(), delivery_id, action: 0 }]],
	])('ends by %s what repeats for those who stay', async (_how, toCall) => {
		const actions = [{ title: 'Log', type: 'open_url', url: 'https://example.com/' }];
		const push = { title: 'On fire', actions, ...toOps };
		const repeat = { every_minutes: 1, times: 2 };
		await call('POST', '/push-notification/repeated', { push, repeat });
		await leave();
		const { id } = (await team.ada.inbox()).at(-1);
		await done(team.ada.call('POST', ...toCall(id)));
		const [hers, his] = [await team.ada.inbox(), await team.bob.inbox()];
		team.server.clock.advance(60);
		await settleDue(team.server.context, repeats);
		expect(await team.bob.inbox()).toHaveLength(his.length + 1);
		expect(await team.ada.inbox()).toHaveLength(hers.length);
		await done(team.bob.call('POST', ...toCall((await team.bob.inbox()).at(-1).id)));
		team.server.clock.advance(60);
		await settleDue(team.server.context, repeats);
		expect(await team.bob.inbox()).toHaveLength(his.length + 1);
	});

	it('finds by a search what was sent since', async () => {
		await leave();
		await call('POST', '/push-notification', {
			title: 'Needle',
			tags: ['needle'],
			...toOps,
		});
		for (const query of ['search=Needle', 'tag_part=needle', 'channel=ops&search=needle'])
			expect(JSON.stringify(await done(team.ada.call('GET', `/history?${query}`)))).not.toContain(
				'Needle',
			);
	});

	it('and whose person is merged into one of the channel gets nothing of before', async () => {
		const name = team.unique('Late');
		await done(team.olga.call('POST', '/users', { name }));
		const phone = await team.server.pairPhone({ user: name });
		const { question_id: id } = await call('POST', '/questions', { ...ASKED, ...toOps });
		const { change } = await CARDS['a Live Activity']!();
		const into = await team.idOf('Bob');
		await done(team.olga.call('POST', `/users/${await team.idOf(name)}/merge`, { into }));
		expect(await phone.inbox()).toEqual([]);
		await change('News');
		expect(await cardsOn(phone)).toEqual([]);
		expect((await answerOn(phone, id)).status).toBe(404);
		await call('DELETE', `/questions/${id}`);
	});
});

describe('a choice is offered beside another text than that of its question', () => {
	const PRODUCTION = { title: 'Delete production?', message: 'For ticket 12.' };

	/** A question on the stream of a workflow. */
	async function askOnStream(more: object = {}) {
		const key = streamKey();
		const { question_id: id } = await call('POST', '/questions', {
			...ASKED,
			...PRODUCTION,
			...toOps,
			live_activity: { stream_key: key, ...more },
		});
		const [{ activity_id }] = (await team.bob.snapshot()).activities.filter(
			({ stream_key }: any) => stream_key === key,
		);
		return { key, id, activity_id };
	}

	/** What another key of the same channel may send. */
	const OVER: Record<string, (asked: { key: string; activity_id: string }) => Promise<unknown>> = {
		'an alert on its stream': ({ key }) =>
			call(
				'PUT',
				`/live-activity/stream/${key}`,
				{ content_state: {}, alert: { title: 'Restart the test system?' } },
				{ key: team.ops },
			),
		'another subtitle': ({ key }) =>
			call(
				'PUT',
				`/live-activity/stream/${key}`,
				{ content_state: { subtitle: 'on the test system' } },
				{ key: team.ops },
			),
		'a badge that says otherwise': ({ activity_id }) =>
			call(
				'POST',
				'/live-activity/update',
				{ activity_id, content_state: { badge: { title: 'Test' } } },
				{ key: team.ops },
			),
	};

	it.each(Object.keys(OVER))('by %s', async (what) => {
		const asked = await askOnStream();
		await OVER[what]!(asked);
		const { activity } = (await team.bob.inbox()).at(-1);
		expect(activity).not.toHaveProperty('action');
		const tap = { tap_id: randomUUID(), activity_id: asked.activity_id, action: 'action' };
		expect((await team.bob.call('POST', '/taps', tap)).status).toBe(404);
		expect(await call('GET', `/questions/${asked.id}`)).toMatchObject({ status: 'open' });
		await call('DELETE', `/questions/${asked.id}`);
	});

	it('by a rotation, which keeps both', async () => {
		const { key, id } = await askOnStream();
		await done(team.olga.call('POST', `/streams/${key}/pause`));
		await done(team.olga.call('POST', `/streams/${key}/resume`));
		const { activity } = (await team.bob.inbox()).at(-1);
		expect(activity).toMatchObject({
			content_state: PRODUCTION,
			action: { title: 'Approve' },
			secondary_action: { title: 'Decline' },
		});
		await call('DELETE', `/questions/${id}`);
	});

	it('by another alert while it is paused', async () => {
		const { key, id } = await askOnStream();
		await done(team.olga.call('POST', `/streams/${key}/pause`));
		await call('PUT', `/live-activity/stream/${key}`, {
			content_state: { message: 'For ticket 13.' },
			alert: { title: 'Restart the test system?' },
			channels: ['ops'],
		});
		await done(team.olga.call('POST', `/streams/${key}/resume`));
		const { activity } = (await team.bob.inbox()).at(-1);
		expect(activity).toMatchObject({ content_state: { message: 'For ticket 13.' } });
		expect(activity).not.toHaveProperty('action');
		await call('DELETE', `/questions/${id}`);
	});
});
