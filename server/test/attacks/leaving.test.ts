import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { repeats } from '../../src/service/sending/repeats.ts';
import { settleDue } from '../support/later.ts';
import { endActivities } from '../support/server.ts';
import { answerOn, ASKED, cardsOn, done, shows, startTeam, type Team } from './support/team.ts';

/** Attempts to go on getting, or deciding, what goes to a channel that one has left. Bob stays in it. */

let team: Team;
beforeAll(async () => {
	team = await startTeam();
});
afterEach(() => endActivities({ ...team.server, phone: team.bob }));
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const toOps = { target: { channels: ['ops'] } };
const put = (key: string, title: string) =>
	call('PUT', `/live-activity/stream/${key}`, { ...shows(title), channels: ['ops'] });

/** What is due in a minute. */
function settleLater(kind: Parameters<typeof settleDue>[1]): Promise<number> {
	team.server.clock.advance(60);
	return settleDue(team.server.context, kind);
}

/** What is begun while Ada is in the channel. @returns what goes on when she has left it */
const ONGOING: Record<string, (name: string) => Promise<() => Promise<unknown>>> = {
	'a stream that is updated': async (name) => {
		await put(name, 'Old');
		return () => put(name, 'News');
	},
	'a stream that alerts, and changes nothing else': async (name) => {
		await put(name, 'Old');
		return () =>
			call('PUT', `/live-activity/stream/${name}`, {
				content_state: {},
				alert: { title: 'News', body: 'News' },
				channels: ['ops'],
			});
	},
	'a stream that is updated by a key of the channel': async (name) => {
		const by = { key: team.ops };
		await call('PUT', `/live-activity/stream/${name}`, shows('Old'), by);
		return () => call('PUT', `/live-activity/stream/${name}`, shows('News'), by);
	},
	'a stream that changes its type': async (name) => {
		await put(name, 'Old');
		const state = { type: 'value', title: 'News', value: '1' };
		return () =>
			call('PUT', `/live-activity/stream/${name}`, { content_state: state, channels: ['ops'] });
	},
	'a stream that is paused, and resumed later': async (name) => {
		await put(name, 'Old');
		await done(team.olga.call('POST', `/streams/${name}/pause`));
		await put(name, 'News');
		return () => done(team.olga.call('POST', `/streams/${name}/resume`));
	},
	'a Live Activity that is updated by its id': async () => {
		const { activity_id } = await call('POST', '/live-activity/start', {
			...shows('Old'),
			...toOps,
		});
		const news = { activity_id, content_state: { title: 'News' } };
		return () => call('POST', '/live-activity/update', news);
	},
	'a push that repeats': async () => {
		const repeat = { every_minutes: 1, times: 1 };
		const push = { title: 'News', ...toOps };
		await call('POST', '/push-notification/repeated', { push, repeat });
		return () => settleLater(repeats);
	},
	'a question that reminds': async () => {
		const remind = { every_minutes: 1, times: 1 };
		await call('POST', '/questions', { ...ASKED, title: 'News', ...toOps, remind });
		return () => settleLater(questionTimes);
	},
	'a push that is sent again': async () => {
		await call('POST', '/push-notification', { title: 'News', ...toOps });
		const { entries } = await done(team.olga.call('GET', '/history?limit=1'));
		return () => done(team.max.call('POST', `/history/${entries[0].id}/send`));
	},
};

describe('who has left a channel still gets', () => {
	it.each(Object.keys(ONGOING))('%s', async (what) => {
		const { ada, bob, setChannel, unique } = team;
		await setChannel('ops', ['Ada', 'Bob']);
		const goOn = await ONGOING[what]!(unique('stream').replace(' ', '-'));
		await setChannel('ops', ['Bob']);
		const [hers, his] = [await ada.inbox(), await bob.inbox()];
		await goOn();
		// The end of a Live Activity, which takes it away, may reach her.
		expect(JSON.stringify((await ada.inbox()).slice(hers.length))).not.toContain('News');
		expect(await cardsOn(ada)).not.toContain('News');
		expect((await bob.inbox()).length).toBeGreaterThan(his.length);
	});

	it('a stream of several channels, of which one has been deleted', async () => {
		const { ada, olga, unique, server } = team;
		const [slug, key] = ['gone', unique('stream').replace(' ', '-')];
		await server.addChannel(slug, { users: ['Ada'] });
		const to = (title: string) => ({ ...shows(title), channels: ['sales', slug] });
		await call('PUT', `/live-activity/stream/${key}`, to('Old'));
		await done(olga.call('DELETE', `/channels/${slug}`));
		const again = await server.call('PUT', `/live-activity/stream/${key}`, to('News'));
		expect(again.status).toBe(400);
		await call('PUT', `/live-activity/stream/${key}`, { ...shows('News'), channels: ['sales'] });
		expect(await cardsOn(ada)).not.toContain('News');
		expect(await cardsOn(team.bob)).toContain('News');
	});

	it('and decides by a Live Activity that goes on without them', async () => {
		const { ada, bob, setChannel, server } = team;
		await setChannel('ops', ['Ada', 'Bob']);
		const live_activity = {};
		const { question_id } = await call('POST', '/questions', { ...ASKED, ...toOps, live_activity });
		const [{ activity_id }] = (await ada.snapshot()).activities;
		await setChannel('ops', ['Bob']);
		const tap_id = '6f1f3c1e-2a56-4b1b-9d0c-0a8d6a3d7b11';
		const tapped = await ada.call('POST', '/taps', { tap_id, activity_id, action: 'action' });
		expect(tapped.body['outcome'] ?? tapped.status).not.toBe('called');
		expect((await answerOn(ada, question_id)).body['outcome']).not.toBe('answered');
		expect((await server.call('GET', `/questions/${question_id}`)).body['status']).toBe('open');
		await done(answerOn(bob, question_id));
	});
});

describe('who returns to a channel', () => {
	it('gets or decides nothing of what was sent meanwhile', async () => {
		const { ada, setChannel } = team;
		await setChannel('ops', ['Bob']);
		const remind = { every_minutes: 1, times: 1 };
		const { question_id } = await call('POST', '/questions', { ...ASKED, ...toOps, remind });
		const push = { title: 'Missed', ...toOps };
		await call('POST', '/push-notification/repeated', {
			push,
			repeat: { every_minutes: 1, times: 1 },
		});
		const { entries } = await done(team.olga.call('GET', '/history'));
		const sent = entries.find(({ title }: { title: string }) => title === push.title);
		await setChannel('ops', ['Ada', 'Bob']);
		const before = await ada.inbox();
		await settleLater(repeats);
		await settleLater(questionTimes);
		const again = await done(team.olga.call('POST', `/history/${sent.id}/send`));
		expect(again['devices_notified']).toBe(1);
		expect(await ada.inbox()).toEqual(before);
		expect((await answerOn(ada, question_id)).status).toBe(404);
		await call('DELETE', `/questions/${question_id}`);
	});
});
