import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ActivitySmith from 'activitysmith';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** A generated API class of the client: we set only its configuration. */
interface ClientApi {
	configuration: { configuration: { basePath?: string } };
}

describe('the published client of this wire format', () => {
	let server: TestServer;
	let baseUrl: string;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		await server.addChannel('ops', { users: ['owner'] });
		await server.addMetric({ key: 'cpu', name: 'CPU' });
		baseUrl = `${await server.app.listen({ host: '127.0.0.1', port: 0 })}/api`;
	});
	afterAll(() => server.close());

	/** The published client, pointed at our base URL by its classes' own setting. */
	const client = (apiKey = server.account.key) => {
		const made = new ActivitySmith({ apiKey });
		const parts = made as unknown as Record<string, { api: ClientApi }> & {
			appIconBadgesApi: ClientApi;
		};
		for (const api of [
			parts.appIconBadgesApi,
			...['notifications', 'liveActivities', 'metrics'].map((name) => parts[name]!.api),
		]) {
			api.configuration.configuration.basePath = baseUrl;
		}
		return made;
	};
	const last = async () => (await server.phone.inbox()).at(-1);
	const failure = async (call: Promise<unknown>) => {
		const error: any = await call.then(
			() => undefined,
			(reason: unknown) => reason,
		);
		return {
			status: error?.response?.status,
			body: await error?.response?.json(),
			headers: error?.response?.headers,
		};
	};

	it('sends a push', async () => {
		const answer = await client().notifications.send({
			title: 'Build done',
			message: 'All green',
			redirection: 'https://example.com/build/7',
			actions: [
				{
					title: 'Deploy',
					type: 'webhook',
					url: 'https://example.com/deploy',
					method: 'POST',
					body: { build: 7 },
				},
			],
			tags: ['ci'],
			channels: ['ops'],
		});
		expect(answer).toMatchObject({
			success: true,
			devices_notified: 1,
			users_notified: 1,
			effective_channel_slugs: ['ops'],
			tags: ['ci'],
		});
		expect(await last()).toMatchObject({
			kind: 'push',
			push: { title: 'Build done', actions: [{ title: 'Deploy' }] },
		});
	});

	it('sets the badge', async () => {
		const answer = await client().badgeCount(12, { channels: ['ops'] });
		expect(answer).toMatchObject({
			success: true,
			badge: 12,
			devices_notified: 1,
			users_notified: 1,
			effective_channel_slugs: ['ops'],
		});
		expect((await server.phone.snapshot()).badge).toBe(12);
	});

	it('starts, updates and ends an activity', async () => {
		const { liveActivities } = client();
		const started = await liveActivities.start({
			content_state: ActivitySmith.contentState({
				title: 'Deploy',
				type: ActivitySmith.liveActivityTypes.segmentedProgress,
				number_of_steps: 3,
				current_step: 1,
				icon: ActivitySmith.alertIcon('gear', { color: 'blue' }),
				badge: ActivitySmith.alertBadge('CI', { color: 'green' }),
			}),
			channels: ['ops'],
		});
		expect(started).toMatchObject({
			success: true,
			devices_notified: 1,
			effective_channel_slugs: ['ops'],
		});
		const { activity_id } = started;
		const updated = await liveActivities.update({
			activity_id,
			content_state: { title: 'Deploy', current_step: 2 },
		});
		expect(updated).toMatchObject({
			success: true,
			activity_id,
			devices_notified: 1,
			devices_queued: 0,
		});
		const ended = await liveActivities.end({
			activity_id,
			content_state: { title: 'Deployed', current_step: 3, auto_dismiss_minutes: 1 },
		});
		expect(ended).toMatchObject({
			success: true,
			activity_id,
			devices_notified: 1,
			devices_queued: 0,
		});
		expect(await last()).toMatchObject({
			kind: 'activity_end',
			activity: {
				content_state: {
					title: 'Deployed',
					number_of_steps: 3,
					current_step: 3,
					icon: { symbol: 'gear', color: 'blue' },
				},
			},
		});
	});

	it.each([
		['progress', { percentage: 40 }],
		['metrics', { metrics: [{ label: 'CPU', value: 12, unit: '%' }] }],
		['stats', { metrics: [{ label: 'Sales', value: '1,204' }] }],
		['alert', { message: 'Almost full' }],
		['timer', { duration_seconds: 60 }],
	] as const)('streams a %s and ends it, with and without a body', async (type, fields) => {
		const { liveActivities } = client();
		const content_state = { title: 'Live', type, ...fields };
		const started = await liveActivities.stream(`stream-${type}`, {
			content_state,
			channels: ['ops'],
		});
		expect(started).toMatchObject({
			success: true,
			operation: 'started',
			stream_key: `stream-${type}`,
		});
		const again = await liveActivities.stream(`stream-${type}`, {
			content_state: { ...content_state, title: 'Live 2' },
			channels: ['ops'],
		});
		expect(again).toMatchObject({ operation: 'updated', activity_id: started.activity_id });
		const ended = await (type === 'alert'
			? liveActivities.endStream(`stream-${type}`, {
					content_state: { title: 'Over', message: 'Done' },
				})
			: liveActivities.endStream(`stream-${type}`));
		expect(ended).toMatchObject({
			success: true,
			operation: 'ended',
			activity_id: started.activity_id,
		});
		expect(await last()).toMatchObject({ kind: 'activity_end' });
	});

	it('sets a metric, as a number, as a text, and with a time', async () => {
		const { metrics } = client();
		for (const value of [71.5, 'high']) {
			expect(await metrics.update('cpu', value)).toEqual({ success: true });
			expect((await server.phone.snapshot()).metrics[0].value).toBe(value);
		}
		const timestamp = new Date(server.clock.now - 60_000).toISOString();
		expect(await metrics.update('cpu', { value: 'older', timestamp })).toEqual({ success: true });
		expect((await server.phone.snapshot()).metrics[0].value).toBe('high');
	});

	it('gets the error bodies that it knows', async () => {
		expect(await failure(client('bk_wrong').notifications.send({ title: 'x' }))).toMatchObject({
			status: 401,
			body: { error: 'Unauthorized' },
		});
		expect(await failure(client().notifications.send({ title: '' }))).toMatchObject({
			status: 400,
			body: { message: expect.stringContaining('title') },
		});
		expect(await failure(client().liveActivities.endStream('none'))).toMatchObject({
			status: 404,
			body: { error: expect.any(String) },
		});
		expect(await failure(client().metrics.update('none', 1))).toMatchObject({
			status: 404,
			body: { error: 'Metric not found' },
		});
	});

	it('reads the rate-limit headers', async () => {
		const { raw } = await client().metrics.updateMetricValueRaw({
			key: 'cpu',
			metricValueUpdateRequest: { value: 1 },
		});
		expect(raw.headers.get('ratelimit-policy')).toContain('"account:metrics";q=');
		expect(raw.headers.get('ratelimit')).toContain('"public-api-ip:metrics";r=');
	});
});
