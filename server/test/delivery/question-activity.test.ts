import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { addUser } from '../../src/service/people/people.ts';
import { pauseStream, resumeStream } from '../../src/service/streams/requests.ts';
import { settleDue } from '../support/later.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { allRows } from '../support/store-rows.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const CHOICES = [
	{ id: 'yes', title: 'Approve' },
	{ id: 'no', title: 'Decline' },
];
const ASKED = { title: 'Deploy?', message: 'To all.', choices: CHOICES, live_activity: {} };

describe('a question on a Live Activity', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const ask = async (more: object = {}): Promise<string> => {
		const answered = await server.call('POST', '/questions', { ...ASKED, ...more });
		expect(answered).toMatchObject({ status: 200, body: { devices_notified: 1 } });
		return String(answered.body['question_id']);
	};
	const read = async (id: string) => (await server.call('GET', `/questions/${id}`)).body;
	const activities = async (phone = server.phone) => (await phone.snapshot()).activities;
	const question = async (phone = server.phone) => (await phone.snapshot()).questions[0];
	const tap = async (
		activityId: string,
		{ phone = server.phone, action = 'action', tapId = randomUUID() } = {},
	) => (await phone.call('POST', '/taps', { tap_id: tapId, activity_id: activityId, action })).body;
	const put = (key: string, contentState: object) =>
		server.call('PUT', `/live-activity/stream/${key}`, { content_state: contentState });
	const after = async (seconds: number) => {
		server.clock.advance(seconds);
		await settleDue(server.context, questionTimes);
	};

	it('has its choices as buttons, and makes no second sound', async () => {
		await ask();
		const [activity, ...others] = await activities();
		expect(others).toEqual([]);
		expect(activity).toMatchObject({
			content_state: { type: 'alert', title: 'Deploy?', message: 'To all.' },
			action: { title: 'Approve', type: 'webhook' },
			secondary_action: { title: 'Decline', type: 'webhook' },
			dismiss_at: null,
		});
		expect(await server.phone.inbox()).toMatchObject([
			{ kind: 'activity_start', alert: { title: 'Deploy?', body: 'To all.' } },
			{ kind: 'push', held: true },
		]);
		expect((await question()).push.question.activity_id).toBe(activity.activity_id);
	});

	it('is answered by a tap on it, once, and ends with the answer', async () => {
		const second = await server.pairPhone({ name: 'Second' });
		const { body } = await server.call('POST', '/questions', ASKED);
		const [{ activity_id: activityId }] = await activities();
		const tapId = randomUUID();
		const tapped = await tap(activityId, { action: 'secondary_action', tapId });
		expect(tapped).toMatchObject({
			outcome: 'called',
			answer: { button: 'Decline', by: 'owner', device: 'Phone', final: true },
		});
		expect(await tap(activityId, { action: 'secondary_action', tapId })).toEqual(tapped);
		expect(await read(body['question_id'])).toMatchObject({
			status: 'answered',
			answer: { choice: 'no', by: { user: 'owner', device: 'Phone' } },
		});
		expect(await activities()).toMatchObject([
			{
				content_state: { message: 'Declined by owner' },
				action: { closed: true },
				dismiss_at: server.timestamp(2 * 60),
			},
		]);
		expect(await tap(activityId, { phone: second })).toMatchObject({
			outcome: 'refused',
			message: expect.stringMatching(/^Already answered: Declined by owner/),
			answer: { button: 'Decline' },
		});
	});

	it.each([
		['text', { choices: undefined, text: {} }],
		['more than two choices', { choices: [...CHOICES, { id: 'later', title: 'Later' }] }],
		['a text that it may not show whole', { message: 'x'.repeat(113) }],
		['more lines than it has room for', { message: 'To\nall\nof them.' }],
	])('with %s has no buttons, but its card', async (_what, ways) => {
		const id = await ask(ways);
		const [activity] = await activities();
		expect(activity).not.toHaveProperty('action');
		expect((await question()).push.question).toMatchObject({ question_id: id, status: 'open' });
	});

	it('with a link has it as a button', async () => {
		await ask({ choices: undefined, link: { title: 'Fill in', url: 'https://example.com/' } });
		expect(await activities()).toMatchObject([
			{ action: { title: 'Fill in', type: 'open_url', url: 'https://example.com/' } },
		]);
	});

	it('is a notification where there is no room for another', async () => {
		for (let count = 0; count < 5; count += 1)
			await server.call('POST', '/live-activity/start', { content_state: STATES.alert });
		const id = await ask();
		expect(await activities()).toHaveLength(5);
		const asked = await question();
		expect(asked).not.toHaveProperty('held');
		expect(asked.push.question).not.toHaveProperty('activity_id');
		await server.call('DELETE', `/questions/${id}`);
		expect(await activities()).toHaveLength(5);
	});

	it.each([
		['withdrawn', {}, (id: string) => server.call('DELETE', `/questions/${id}`), 'Withdrawn'],
		['over', { after_seconds: 60 }, () => after(60), 'Nobody answered in time.'],
		[
			'decided by default',
			{ after_seconds: 60, choice: 'no' },
			() => after(60),
			'“Decline”, because nobody answered in time',
		],
	])('ends when it is %s', async (_what, deadline, end, message) => {
		const id = await ask({ ...('after_seconds' in deadline && { deadline }) });
		await end(id);
		expect(await activities()).toMatchObject([
			{ content_state: { message }, dismiss_at: expect.any(String) },
		]);
	});

	it('sounds when it reminds', async () => {
		await ask({ remind: { every_minutes: 5, times: 1 } });
		await after(5 * 60);
		expect((await server.phone.inbox()).at(-1)).not.toHaveProperty('held');
	});

	it('counts as one send', async () => {
		const key = { 'idempotency-key': 'once' };
		for (let time = 0; time < 2; time += 1)
			await server.call('POST', '/questions', ASKED, { headers: key });
		const { usage } = await allRows(server.context.database.read);
		expect(usage).toEqual([expect.stringContaining('["sends",1]')]);
		expect(await activities()).toHaveLength(1);
	});

	describe('of a stream', () => {
		const onStream = (more: object = {}) =>
			ask({ live_activity: { stream_key: 'deploy', ...more } });

		it('takes the place of what it showed, and ends with it', async () => {
			await put('deploy', STATES.alert);
			const [before] = await activities();
			const id = await onStream();
			expect(await activities()).toMatchObject([
				{ activity_id: before.activity_id, content_state: { title: 'Deploy?' } },
			]);
			await tap(before.activity_id);
			expect(await read(id)).toMatchObject({ status: 'answered' });
			expect((await server.call('GET', '/live-activity/streams')).body['streams']).toEqual([]);
		});

		it('that is kept closes its buttons, and leaves the rest to the workflow', async () => {
			await onStream({ keep: true });
			const [{ activity_id: activityId }] = await activities();
			await tap(activityId);
			expect(await activities()).toMatchObject([
				{
					content_state: { message: 'Approved by owner' },
					action: { closed: true },
					dismiss_at: null,
				},
			]);
			await put('deploy', { title: 'Deployed' });
			const [next] = await activities();
			expect(next.content_state).toMatchObject({ title: 'Deployed' });
			expect(next).not.toHaveProperty('action');
		});

		it.each([
			['another type', STATES.progress],
			['another title', { title: 'Say hello?' }],
			['another message', { message: 'To nobody.' }],
		])(
			'takes its choices along when the workflow shows %s: they belong to its text',
			async (_what, state) => {
				const id = await onStream();
				await put('deploy', state);
				const [now] = (await activities()).filter(({ dismiss_at: at }: any) => at === null);
				expect(now.content_state).toMatchObject('type' in state ? { type: state.type } : state);
				expect(now).not.toHaveProperty('action');
				expect(now).not.toHaveProperty('secondary_action');
				const body = { tap_id: randomUUID(), activity_id: now.activity_id, action: 'action' };
				expect(await server.phone.call('POST', '/taps', body)).toMatchObject({ status: 404 });
				expect(await read(id)).toMatchObject({ status: 'open' });
				const answer = { tap_id: randomUUID(), choice: 'yes' };
				await server.phone.call('POST', `/questions/${id}/answer`, answer);
				expect(await read(id)).toMatchObject({ answer: { choice: 'yes' } });
			},
		);

		it.each([
			['another type', STATES.progress],
			['another title', { title: 'Say hello?' }],
		])('leaves %s that has taken its place', async (_what, state) => {
			const id = await onStream();
			await put('deploy', state);
			await server.call('DELETE', `/questions/${id}`);
			const [now] = (await activities()).filter(({ dismiss_at: at }: any) => at === null);
			expect(now.content_state).toMatchObject(state);
			const { streams } = (await server.call('GET', '/live-activity/streams')).body;
			expect(streams).toMatchObject([{ stream_key: 'deploy' }]);
		});

		it('keeps its choices when the workflow shows the same again', async () => {
			const id = await onStream();
			await put('deploy', { title: 'Deploy?' });
			const [{ activity_id: activityId }] = await activities();
			await tap(activityId);
			expect(await read(id)).toMatchObject({ answer: { choice: 'yes' } });
		});

		it('has none of the choices of the question before it', async () => {
			await onStream();
			await server.call('POST', '/questions', {
				title: 'And now?',
				text: {},
				live_activity: { stream_key: 'deploy' },
			});
			const [now] = await activities();
			expect(now.content_state).toMatchObject({ title: 'And now?' });
			expect(now).not.toHaveProperty('action');
		});

		it('has none while its stream is paused and shows something else', async () => {
			const id = await onStream();
			await pauseStream(server.context, server.account.id, 'deploy');
			await put('deploy', { title: 'Say hello?' });
			await resumeStream(server.context, server.account.id, 'deploy');
			const [now] = (await activities()).filter(({ dismiss_at: at }: any) => at === null);
			expect(now.content_state).toMatchObject({ title: 'Say hello?' });
			expect(now).not.toHaveProperty('action');
			expect(await read(id)).toMatchObject({ status: 'open' });
		});

		it('is a notification while the stream is paused', async () => {
			await put('deploy', STATES.progress);
			await pauseStream(server.context, server.account.id, 'deploy');
			await onStream();
			expect((await question()).push.question).not.toHaveProperty('activity_id');
		});

		it('is not another key’s to show it on', async () => {
			await put('deploy', STATES.progress);
			await server.addChannel('ops', { devices: [server.phone.id] });
			const key = await server.addKey(server.account.id, ['ops']);
			const asked = { ...ASKED, live_activity: { stream_key: 'deploy' } };
			expect(await server.call('POST', '/questions', asked, { key })).toMatchObject({
				status: 403,
			});
			expect(await question()).toBeUndefined();
		});

		it('is required for one that is kept', async () => {
			const asked = { ...ASKED, live_activity: { keep: true } };
			expect(await server.call('POST', '/questions', asked)).toMatchObject({
				status: 400,
				body: { message: expect.stringContaining('live_activity.keep') },
			});
		});
	});

	it('may be answered by those alone who may', async () => {
		await addUser(server.context, server.account.id, { name: 'Boss' });
		const boss = await server.pairPhone({ name: 'Boss phone', user: 'Boss' });
		const { body } = await server.call('POST', '/questions', { ...ASKED, answerable_by: ['Boss'] });
		const [{ activity_id: activityId }] = await activities();
		expect(await tap(activityId)).toEqual({
			outcome: 'refused',
			message: 'Only Boss may answer this question.',
		});
		expect(await tap(activityId, { phone: boss })).toMatchObject({ outcome: 'called' });
		expect(await read(body['question_id'])).toMatchObject({ answer: { by: { user: 'Boss' } } });
	});
});
