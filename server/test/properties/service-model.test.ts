import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createAccount } from '../../src/service/accounts/accounts.ts';
import { activityExpiry } from '../../src/service/activities/requests.ts';
import { createApiKey } from '../../src/service/keys-and-channels/api-keys.ts';
import { assignToChannel, createChannel } from '../../src/service/keys-and-channels/channels.ts';
import { settleDue } from '../support/later.ts';
import { historyOf } from '../support/history.ts';
import { createMetric } from '../../src/service/metrics.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';
import { ApiStreams } from '../support/api-streams.ts';
import { messageCommands, METRIC_KEY, type Real } from '../support/message-commands.ts';
import { reaches } from '../support/message-model.ts';
import { questionCommands } from '../support/question-commands.ts';
import type { State } from '../support/question-model.ts';
import { scaled } from '../support/scaled.ts';
import { streamCommands } from '../support/stream-commands.ts';
import { Model } from '../support/stream-model.ts';

/** Each has one phone. */
const CHANNELS = ['one', 'two'];
const audienceSize = (slugs: string[] | null) => (slugs?.length === 1 ? 1 : 2);

/**
 * Checks a phone's inbox: every activity starts once and first, ends at most once and last, one per
 * stream at a time.
 */
async function holdInbox(model: Model, phone: TestPhone, channel: string): Promise<void> {
	const seen = new Map<string, { isRunning: boolean; state: State }>();
	const runningOf = new Map<string, string>();
	const inbox = await phone.inbox();
	const pushes = inbox.filter(({ kind }) => kind === 'push').map(({ push }) => push.title);
	const sent = model.messages.delivered.filter(({ slugs }) => reaches(slugs, channel));
	expect(pushes).toEqual(sent.map(({ title }) => title));
	for (const { kind, activity } of inbox) {
		if (activity === undefined) continue;
		const { activity_id: id, stream_key: stream, content_state: shown } = activity;
		const before = seen.get(id);
		expect(before?.isRunning ?? 'new').toBe(kind === 'activity_start' ? 'new' : true);
		// Without a stream, there may be several.
		if (kind === 'activity_start' && stream !== null) {
			expect(runningOf.get(stream)).toBeUndefined();
			runningOf.set(stream, id);
		}
		if (kind === 'activity_end') runningOf.delete(stream);
		seen.set(id, { isRunning: kind !== 'activity_end', state: shown });
	}
	const reached = model.activities.filter(({ slugs }) => reaches(slugs, channel));
	expect([...seen.keys()].sort()).toEqual(reached.map(({ id }) => id).sort());
	for (const { id, isRunning, state: last } of reached)
		expect(seen.get(id)).toEqual({ isRunning, state: last });
	const { activities, badge, metrics } = await phone.snapshot();
	expect(badge).toBe(model.messages.badges.get(channel));
	expect(metrics[0].value).toBe(model.messages.metric?.value ?? null);
	const onScreen = activities.filter((activity: any) => activity.dismiss_at === null);
	expect(onScreen.map((activity: any) => activity.activity_id).sort()).toEqual(
		reached
			.filter(({ isRunning }) => isRunning)
			.map(({ id }) => id)
			.sort(),
	);
}

async function holdHistory(model: Model, { server, accountId }: Real): Promise<void> {
	const entries = await historyOf(server.context, accountId, { tags: [], limit: 1_000 });
	const pushes = entries.filter(({ kind }) => kind === 'push').reverse();
	expect(pushes.map(({ title, tags }) => ({ title, tags: [...tags].sort() }))).toEqual(
		model.messages.pushes.map(({ title, tags }) => ({ title, tags: [...tags].sort() })),
	);
	const ofActivities = entries.filter(({ kind }) => kind === 'activity');
	const told = ofActivities.map(({ id, title, tags: carried, ended_at }) => ({
		id,
		title,
		tags: [...carried].sort(),
		running: ended_at === null,
	}));
	const expected = model.activities.map(({ id, state: last, tags: carried, isRunning }) => ({
		...{ id, title: last['title'] as string, tags: [...carried].sort(), running: isRunning },
	}));
	const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
	expect(told.sort(byId)).toEqual(expected.sort(byId));
}

/** Sequences of requests; `npm run test:model` makes more of them. */
const SEQUENCES = scaled(Number(process.env['MODEL_SEQUENCES'] ?? 30));

describe('the service, held against its model', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({
			settings: { BECKON_RATE_PER_ADDRESS: '10000000', BECKON_RATE_LIVE_ACTIVITIES: '10000000' },
		});
	});
	afterAll(() => server.close());

	async function freshAccount(): Promise<Real> {
		// Pairing is limited per minute, and leftovers of earlier runs must not expire in this one.
		server.clock.advance(24 * 3_600);
		await settleDue(server.context, activityExpiry);
		const { context } = server;
		const { account } = await createAccount(context, {
			name: `a${server.clock.now}`,
			owner: 'o@example.com',
			plan: 'paid',
		});
		const phones: [TestPhone, TestPhone] = [
			await server.pairPhone({ account: account.id }),
			await server.pairPhone({ account: account.id }),
		];
		for (const [index, slug] of CHANNELS.entries()) {
			await createChannel(context, account.id, { slug });
			await assignToChannel(context, account.id, { slug, users: [], devices: [phones[index]!.id] });
		}
		await createMetric(context, account.id, { key: METRIC_KEY, name: 'Load', format: 'number' });
		const { key } = await createApiKey(context, account.id, { name: 'k' });
		const streams = new ApiStreams(server, { accountId: account.id, key });
		return { server, accountId: account.id, key, streams, phones };
	}

	it('does what the model says, whatever happens in whatever order', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.commands([...streamCommands, ...messageCommands, ...questionCommands], {
					maxCommands: 25,
					size: 'max',
				}),
				async (steps) => {
					const real = await freshAccount();
					const model = new Model(server.clock.now, audienceSize, CHANNELS);
					await fc.asyncModelRun(() => ({ model, real }), steps);
					for (const [index, channel] of CHANNELS.entries())
						await holdInbox(model, real.phones[index]!, channel);
					await holdHistory(model, real);
				},
			),
			{ numRuns: SEQUENCES },
		);
	});

	it('never runs two activities of one key, however many calls arrive at once', async () => {
		const call = fc.record({
			key: fc.constantFrom('a', 'b'),
			isDelete: fc.boolean(),
			type: fc.constantFrom('value', 'alert'),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 12 }), async (calls) => {
				const real = await freshAccount();
				const answers = await Promise.all(
					calls.map(({ key: name, isDelete, type }, index) =>
						isDelete
							? server.call('DELETE', `/live-activity/stream/${name}`, undefined, { key: real.key })
							: server.call(
									'PUT',
									`/live-activity/stream/${name}`,
									{
										content_state: {
											type,
											title: `${index}`,
											value: type === 'value' ? index : undefined,
											message: type === 'alert' ? 'm' : undefined,
										},
									},
									{ key: real.key },
								),
					),
				);
				for (const [index, { status }] of answers.entries())
					expect(calls[index]!.isDelete ? [200, 404] : [200]).toContain(status);
				const started = answers.filter(({ body }) =>
					['started', 'rotated'].includes(body['operation']),
				);
				const running = new Map<string, string>();
				const [phone] = real.phones;
				for (const { kind, activity } of await phone.inbox()) {
					if (kind === 'activity_start') {
						expect(running.get(activity.stream_key)).toBeUndefined();
						running.set(activity.stream_key, activity.activity_id);
					} else expect(running.get(activity.stream_key)).toBe(activity.activity_id);
					if (kind === 'activity_end') running.delete(activity.stream_key);
				}
				expect(new Set(started.map(({ body }) => body['activity_id'])).size).toBe(started.length);
			}),
			{ numRuns: scaled(60) },
		);
	});
});
