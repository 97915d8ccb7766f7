import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { quiet } from '../../src/contract/quiet.ts';
import { quietSummaries } from '../../src/service/sending/quiet-summary.ts';
import { settleDue } from '../support/later.ts';
import { type Bench, pairBrowser, pairIphone, startBench } from '../gateways/support/phones.ts';
import { outcomesRecorded } from '../support/gateways.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

const SETTINGS = {
	hours: { from: '22:00', to: '07:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
	time_zone: 'Europe/Berlin',
	minimum_level: 'passive',
	questions: false,
};
const EVENING = Date.parse('2026-03-02T21:30:00Z');
const MORNING = Date.parse('2026-03-03T06:00:00Z');

/** docs/device-protocol.md "Quiet". */
describe('a quiet phone', () => {
	let bench: Bench;
	let server: TestServer;
	let phone: TestPhone;

	beforeEach(async () => {
		bench = await startBench();
		({ server } = bench);
		await server.phone.call('DELETE', '');
		phone = await pairBrowser(bench);
		server.clock.now = EVENING;
	});
	afterEach(() => bench.close());

	const be = (changes: object = {}, who = phone) =>
		who.call('PUT', '/quiet', { ...SETTINGS, ...changes });
	const push = (title: string, more: object = {}) =>
		server.call('POST', '/push-notification', { title, ...more });
	const called = () =>
		bench.pushService.receivedBy(phone.id).map(({ message }) => message.notification.title);
	const summarize = () => settleDue(server.context, quietSummaries);

	it('says what was stored, and how long it is quiet now', async () => {
		const { body: before } = await phone.call('GET', '/quiet');
		expect(quiet.parse(before)).toMatchObject({ hours: null, quiet_until: null });
		const { status, body } = await be();
		expect(status).toBe(200);
		expect(quiet.parse(body)).toEqual({
			...SETTINGS,
			muted_until: null,
			quiet_until: '2026-03-03T06:00:00.000Z',
		});
		expect((await phone.call('GET', '/quiet')).body).toEqual(body);
	});

	it.each([
		['time_zone', { time_zone: 'Mars/Olympus' }],
		['time_zone', { time_zone: '+02:00' }],
		['hours.from', { hours: { ...SETTINGS.hours, from: '24:00' } }],
		['hours.to', { hours: { ...SETTINGS.hours, to: '22:00' } }],
		['hours.days', { hours: { ...SETTINGS.hours, days: [] } }],
	])('refuses %s of %j', async (path, changes) => {
		const { status, body } = await be(changes);
		expect(status).toBe(400);
		expect(body['issues']).toMatchObject([{ path }]);
	});

	it('gets a push at once, but is not called', async () => {
		await be();
		const { body } = await push('Later', { badge: 4 });
		expect(body).toMatchObject({ devices_notified: 1, users_notified: 1 });
		expect(called()).toEqual([]);
		expect(await phone.inbox()).toMatchObject([{ held: true, push: { title: 'Later' } }]);
		const snapshot = await phone.snapshot();
		expect(snapshot).toMatchObject({ badge: 4, notifications: [{ held: true }] });
		const { body: history } = await phone.call('GET', '/history');
		expect(history['deliveries']).toMatchObject([{ held: true }]);
	});

	it('is not called when a push that failed before the quiet time is attempted again', async () => {
		const [before, after] = [
			Date.parse('2026-03-02T20:59:58Z'),
			Date.parse('2026-03-02T21:01:00Z'),
		];
		await be();
		server.clock.now = before;
		const delivered = async (options: object) => {
			bench.pushService.failOnce({ status: 503 });
			server.clock.now = before;
			await push('Tried', options);
			await outcomesRecorded(server);
			server.clock.now = after;
			expect(await server.context.outbox.runOnce()).toBe(1);
		};
		await delivered({});
		await delivered({ interruption_level: 'critical' });
		expect(called()).toEqual(['Tried']);
		expect(await phone.inbox()).toMatchObject([{ held: true }, {}]);
		server.clock.now = MORNING;
		expect(await summarize()).toBe(1);
		expect(called()[1]).toBe('1 notification was held back');
	});

	it('counts a push held back later in the summary of those after it', async () => {
		await be();
		server.clock.now = Date.parse('2026-03-02T20:59:58Z');
		bench.pushService.failOnce({ status: 503 });
		await push('Earlier');
		await outcomesRecorded(server);
		server.clock.now = Date.parse('2026-03-02T21:01:00Z');
		await push('Later');
		await server.context.outbox.runOnce();
		server.clock.now = MORNING;
		await summarize();
		expect(called()).toEqual(['2 notifications were held back']);
	});

	it('lets through what is critical, and questions if the person wants that', async () => {
		await be();
		const question = { actions: [{ title: 'Yes', type: 'webhook', url: 'http://127.0.0.1:9/' }] };
		await push('Fire', { interruption_level: 'critical' });
		await push('Not now?', question);
		await be({ questions: true });
		await push('Now?', question);
		expect(called()).toEqual(['Fire', 'Now?']);
	});

	it('holds back at any time what is below its minimum level, without a summary', async () => {
		await be({ hours: null, minimum_level: 'time-sensitive' });
		await push('Low');
		await push('High', { interruption_level: 'time-sensitive' });
		expect(called()).toEqual(['High']);
		expect(await summarize()).toBe(0);
	});

	it('has other levels for some channels, of which the lowest counts', async () => {
		for (const slug of ['ops', 'sales', 'news'])
			await server.addChannel(slug, { devices: [phone.id] });
		const levels = { ops: 'critical', sales: 'passive' };
		await be({ hours: null, minimum_level: 'active', channel_levels: levels });
		const to = (title: string, channels: string[], interruption_level: string) =>
			push(title, { target: { channels }, interruption_level });
		await to('Low ops', ['ops'], 'time-sensitive');
		await to('High ops', ['ops'], 'critical');
		await to('Low sales', ['sales'], 'passive');
		await to('Low news', ['news'], 'passive');
		await to('Ops and news', ['ops', 'news'], 'active');
		await push('To all', { interruption_level: 'active' });
		expect(called()).toEqual(['High ops', 'Low sales', 'Ops and news', 'To all']);
		expect(await summarize()).toBe(0);
		expect((await be({ hours: null })).body).toMatchObject({ channel_levels: levels });
	});

	it('gets one summary when its quiet time is over, not the backlog', async () => {
		await be();
		for (const title of ['One', 'Two', 'Three', 'Four']) await push(title);
		await phone.call('POST', '/dismissals', { delivery_id: (await phone.inbox())[0].id });
		expect(await summarize()).toBe(0);
		server.clock.now = MORNING;
		expect(await summarize()).toBe(1);
		expect(await summarize()).toBe(0);
		expect(
			bench.pushService.receivedBy(phone.id).map(({ message }) => message.notification),
		).toMatchObject([{ title: '3 notifications were held back', body: 'Four\nThree\nTwo' }]);
		await push('Loud again');
		expect(called()).toHaveLength(2);
	});

	it('gets no summary of what was dismissed meanwhile', async () => {
		await be();
		await push('Seen');
		await phone.call('POST', '/notifications/clear', { up_to: 1_000_000 });
		server.clock.now = MORNING;
		expect(await summarize()).toBe(0);
	});

	it('gets its summary after a restart, and once', async () => {
		await be();
		await push('Overnight');
		server.clock.now = MORNING;
		const other = await startTestServer({ beside: server });
		try {
			const sent = await Promise.all([
				settleDue(server.context, quietSummaries),
				settleDue(other.context, quietSummaries),
			]);
			expect(sent.sort()).toEqual([0, 1]);
			expect((await phone.inbox()).map(({ push: { title } }) => title)).toEqual([
				'Overnight',
				'1 notification was held back',
			]);
		} finally {
			await other.close();
		}
	});

	it('is muted for an hour, or until the morning, and may end that', async () => {
		const mute = async (mute: string | null) =>
			(await phone.call('PUT', '/quiet/mute', { mute, time_zone: 'Europe/Berlin' })).body;
		expect(await mute('morning')).toMatchObject({ muted_until: '2026-03-03T06:00:00.000Z' });
		expect(await mute('hour')).toMatchObject({ quiet_until: '2026-03-02T22:30:00.000Z' });
		await push('Quiet');
		expect(called()).toEqual([]);
		expect(await mute(null)).toMatchObject({ muted_until: null, quiet_until: null });
		expect(await summarize()).toBe(1);
		expect(called()).toEqual(['1 notification was held back']);
	});

	it('gets its summary later where the quiet time was made longer', async () => {
		await phone.call('PUT', '/quiet/mute', { mute: 'hour', time_zone: 'Europe/Berlin' });
		await push('Quiet');
		await be();
		server.clock.advance(2 * 60 * 60);
		expect(await summarize()).toBe(0);
		server.clock.now = MORNING;
		expect(await summarize()).toBe(1);
	});

	it('keeps one summary for pushes of one set', async () => {
		await be();
		await Promise.all(Array.from({ length: 20 }, (_, n) => push(`${n}`)));
		server.clock.now = MORNING;
		expect(await summarize()).toBe(1);
		expect(called()).toEqual(['20 notifications were held back']);
	});

	it('shows a Live Activity without its alert', async () => {
		await be();
		await server.call('PUT', '/live-activity/stream/deploy', {
			content_state: { type: 'value', title: 'Deploy', value: 1 },
			alert: { title: 'Look' },
		});
		const [delivery] = await phone.inbox();
		expect(delivery).toMatchObject({ kind: 'activity_start', held: true });
		expect(delivery.alert).toBeUndefined();
	});

	it('leaves other phones alone, and holds back on an iPhone too', async () => {
		const iphone = await pairIphone(server);
		await be();
		await push('For one');
		expect(called()).toEqual([]);
		expect(bench.apns.taken).toHaveLength(1);
		await be({}, iphone);
		await push('For none');
		expect(bench.apns.taken).toHaveLength(1);
	});
});
