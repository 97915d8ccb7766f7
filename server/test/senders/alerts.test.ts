import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changeAccount, requireAccount } from '../../src/service/accounts/accounts.ts';
import { STATES } from '../support/samples.ts';
import { endActivities, type TestServer } from '../support/server.ts';
import { group } from './support/groups.ts';
import { send, startWithKey } from './support/send.ts';

let server: TestServer;
let key: string;
beforeEach(async () => {
	({ server, key } = await startWithKey());
});
afterEach(() => server.close());

const fire = (...args: Parameters<typeof group>) =>
	send(server, '/alertmanager', { key, body: group(...args) });
const inbox = () => server.phone.inbox();
const kinds = async () => (await inbox()).map(({ kind }) => kind);
const last = async () => (await inbox()).at(-1);

/** Takes all the room that a phone has for Live Activities. */
async function fillPhone(): Promise<void> {
	for (let room = 0; room < 5; room += 1)
		await server.call('PUT', `/live-activity/stream/room-${room}`, {
			content_state: STATES.progress,
		});
}

describe('a group of alerts', () => {
	it('starts a Live Activity that says what fires, since when and how many', async () => {
		const { status, body } = await fire(['warning', 'critical']);
		expect(status).toBe(200);
		expect(body).toMatchObject({
			operation: 'started',
			stream_key: expect.stringMatching(/^am-[0-9a-f]{32}$/),
			effective_channel_slugs: ['ops'],
		});
		expect(await last()).toMatchObject({
			kind: 'activity_start',
			activity: {
				content_state: {
					type: 'alert',
					title: 'DiskFull',
					subtitle: '2 firing since 2026-03-01 11:10 UTC',
					message: 'web-1 is full\nweb-2 is full',
					badge: { title: '2 firing', color: 'red' },
					color: 'red',
				},
				action: { title: 'Open', url: 'http://prometheus.example.com:9090/graph?g0.expr=0' },
				secondary_action: {
					title: 'Silence',
					url: `http://alertmanager.example.com:9093/#/silences/new?filter=${encodeURIComponent('{alertname="DiskFull", job="node"}')}`,
				},
			},
			alert: { title: 'DiskFull', body: 'web-1 is full\nweb-2 is full' },
		});
	});

	it('says times in the zone of the account', async () => {
		const { context, account } = server;
		const change = { time_zone: 'Europe/Berlin' };
		await changeAccount(context, await requireAccount(context, account.id), change);
		await fire(['critical']);
		expect((await last()).activity.content_state.subtitle).toBe('1 firing since 2026-03-01 12:10');
	});

	it.each([
		[['info', 'critical', 'warning'], 'red'],
		[['Warning'], 'orange'],
		[['info'], 'blue'],
		[['P1'], 'orange'],
	])('has the color of its worst severity: %j is %s', async (severities, color) => {
		await fire(severities);
		expect((await last()).activity.content_state.color).toBe(color);
	});

	it('alerts nobody when it is repeated', async () => {
		await fire(['critical']);
		expect((await fire(['critical'])).body.operation).toBe('noop');
		expect(await kinds()).toEqual(['activity_start']);
	});

	it('alerts once when two servers of a cluster send it at the same moment', async () => {
		await Promise.all([fire(['critical']), fire(['critical'])]);
		expect((await inbox()).filter(({ alert }) => alert)).toHaveLength(1);
	});

	it('changes silently when another alert joins it', async () => {
		await fire(['critical']);
		expect((await fire(['critical', 'critical'])).body.operation).toBe('updated');
		const update = await last();
		expect(update.activity.content_state.badge.title).toBe('2 firing');
		expect(update).not.toHaveProperty('alert');
	});

	it('rotates silently before iOS ends it', async () => {
		await fire(['critical']);
		server.clock.advance(7.9 * 3_600);
		expect((await fire(['critical'])).body.operation).toBe('rotated');
		const start = (await inbox()).findLast(({ kind }) => kind === 'activity_start');
		expect(start).not.toHaveProperty('alert');
	});

	it('ends in green when it is resolved', async () => {
		await fire(['critical', 'critical']);
		const { status, body } = await fire(['critical', 'critical'], { status: 'resolved' });
		expect([status, body.operation]).toEqual([200, 'ended']);
		expect(await last()).toMatchObject({
			kind: 'activity_end',
			activity: {
				content_state: {
					title: 'DiskFull',
					subtitle: 'Resolved since 2026-03-01 12:30 UTC',
					badge: { title: 'Resolved', color: 'green' },
					color: 'green',
				},
			},
		});
	});

	it('counts only what still fires', async () => {
		const mixed = group(['critical', 'warning']);
		mixed.alerts[0]!.status = 'resolved';
		await send(server, '/alertmanager', { key, body: mixed });
		expect((await last()).activity.content_state).toMatchObject({
			badge: { title: '1 firing', color: 'orange' },
			message: 'web-2 is full',
		});
	});

	it('has a Live Activity of its own', async () => {
		const first = await fire(['critical'], { name: 'DiskFull' });
		const second = await fire(['critical'], { name: 'HighLoad' });
		expect(first.body.stream_key).not.toBe(second.body.stream_key);
		expect((await server.phone.snapshot()).activities).toHaveLength(2);
	});

	it('of more alerts than are read still arrives, with the first of them', async () => {
		await fire(Array.from({ length: 2_000 }, () => 'critical'));
		const { message, badge } = (await last()).activity.content_state;
		expect(message).toMatch(/^web-1 is full\n.*\n… and 996 more$/s);
		expect(badge.title).toBe('1000+ firing');
	});

	it('of up to a megabyte arrives', async () => {
		const storm = (characters: number) => {
			const large = group(['critical', 'critical']);
			large.alerts[1]!.annotations.summary = 'd'.repeat(characters);
			return send(server, '/alertmanager', { key, body: large });
		};
		expect((await storm(1_000_000)).status).toBe(200);
		expect((await last()).activity.content_state.badge.title).toBe('2 firing');
		expect(await storm(1_050_000)).toMatchObject({
			status: 413,
			body: { message: expect.stringContaining('1024 KiB') },
		});
	});

	it('names the first alerts and counts the others, also those left out by the sender', async () => {
		const severities = Array.from({ length: 12 }, () => 'critical');
		await fire(severities, { truncatedAlerts: 3 });
		const { message, badge } = (await last()).activity.content_state;
		expect(message.split('\n')).toEqual([
			...[1, 2, 3, 4].map((n) => `web-${n} is full`),
			'… and 8 more',
		]);
		expect(badge.title).toBe('12+ firing');
	});

	it('arrives whatever its texts are', async () => {
		const long = 'x'.repeat(9_000);
		const odd = group(['critical'], { groupLabels: {}, commonLabels: { all: long } });
		odd.alerts[0]!.annotations = { summary: long };
		odd.alerts[0]!.generatorURL = 'not a URL';
		const { status } = await send(server, '/alertmanager', { key, body: odd });
		expect(status).toBe(200);
		const { content_state: state, ...activity } = (await last()).activity;
		expect(state).toMatchObject({ title: 'Alerts', message: `${'x'.repeat(254)}…` });
		expect(activity).not.toHaveProperty('action');
	});
});

describe('a group whose phones are full', () => {
	beforeEach(fillPhone);

	it('goes out as a push', async () => {
		const { status, body } = await fire(['critical']);
		expect([status, body.success]).toEqual([200, true]);
		expect(await last()).toMatchObject({
			kind: 'push',
			push: {
				title: 'DiskFull: 1 firing',
				message: 'web-1 is full',
				interruption_level: 'time-sensitive',
				redirection: 'http://prometheus.example.com:9090/graph?g0.expr=0',
				actions: [{ title: 'Open' }, { title: 'Silence' }],
			},
		});
	});

	it('names the policies of both allowances that it used, and of the address', async () => {
		const { headers } = await fire(['critical']);
		for (const name of ['ratelimit', 'ratelimit-policy'])
			expect(String(headers[name]).match(/"[^"]+"/g)).toEqual([
				'"public-api-ip:live-activities"',
				'"account:live-activities"',
				'"senders:live-activities"',
				'"account:notifications"',
				'"senders:notifications"',
			]);
	});

	it('announces its end by a push, without a sound', async () => {
		await fire(['critical']);
		await fire(['critical'], { status: 'resolved' });
		expect((await last()).push).toMatchObject({
			title: 'DiskFull: Resolved',
			interruption_level: 'passive',
		});
	});

	it('becomes a Live Activity once there is room', async () => {
		await fire(['critical']);
		await endActivities(server);
		expect((await fire(['critical'])).body.operation).toBe('started');
	});
});

describe('what is no group', () => {
	it.each([
		['no groupKey', { ...group(['critical']), groupKey: undefined }, 'groupKey is required'],
		['no alerts', group([]), 'alerts must not be empty'],
		['an unknown status', { ...group(['x']), status: 'odd' }, 'status must be one of'],
		['a list', [], 'The body must be an object'],
	])('is refused: %s', async (_what, body, words) => {
		const answer = await send(server, '/alertmanager', { key, body });
		expect(answer.status).toBe(400);
		expect(answer.body).toMatchObject({
			error: 'Invalid request',
			message: expect.stringContaining(words),
		});
	});
});
