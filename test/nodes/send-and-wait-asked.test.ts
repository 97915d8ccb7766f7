import { APPROVE_ONLY, asks, asksInLoop, asksTwice } from './asking.ts';
import { execution, lastPush, phone, waiting } from './one-question.ts';

/** An answer belongs to the question as asked, whatever the node's expressions would give by then. */

/** Taps the only button of the last push and returns the resumed run. */
async function tapLastPush() {
	const goneOn = execution.goneOn();
	const { id } = await lastPush();
	expect(await phone.tap({ delivery_id: id, action: 0 })).toMatchObject({ status: 200 });
	return await goneOn;
}

const activity = async (streamKey: string) =>
	(await phone.snapshot()).activities.find((running) => running.stream_key === streamKey);

const oneChoice = (label: string) => ({
	responseType: 'choices',
	choices: { choice: [{ label }] },
});

test('a label with the time can be answered later', async () => {
	await waiting(
		asks({ title: 'Deploy?', ...oneChoice("=At {{ $now.toFormat('HH:mm:ss.SSS') }}") }),
	);
	const label = (await lastPush()).push.actions?.[0]?.title;
	expect(label).toMatch(/^At \d\d:/);

	const { itemsOf } = await tapLastPush();

	expect(itemsOf('After')).toMatchObject([{ json: { data: { choice: label } } }]);
});

test('an approval label with the time still approves', async () => {
	const approveLabel = "=Approve {{ $now.toFormat('HH:mm:ss.SSS') }}";
	await waiting(asks({ title: 'Deploy?', approvalOptions: { values: { approveLabel } } }));

	const { itemsOf } = await tapLastPush();

	expect(itemsOf('After')).toMatchObject([{ json: { data: { approved: true } } }]);
});

test('the answer to one node does not close the question of the next', async () => {
	await waiting(asksTwice({ title: 'Build?' }, { title: 'Deploy?' }));
	expect((await tapLastPush()).status).toBe('waiting');
	expect((await lastPush()).push.title).toBe('Deploy?');

	const { status, itemsOf } = await tapLastPush();

	expect(status).toBe('success');
	expect(itemsOf('After')).toMatchObject([{ json: { data: { approved: true } } }]);
});

test('each question of a loop takes its own label, and its page shows what the phone shows', async () => {
	await waiting(
		asksInLoop({
			title: '=Question {{ $runIndex + 1 }}',
			message: '=Item {{ $json.n }}, run {{ $runIndex + 1 }}',
			...oneChoice('=Option {{ $runIndex + 1 }}'),
		}),
	);
	expect((await tapLastPush()).status).toBe('waiting');
	expect((await lastPush()).push.actions).toMatchObject([{ title: 'Option 2' }]);

	const page = await (await fetch(execution.resumeUrl('Ask', { round: '2' }))).text();
	expect(page).toContain('<h1>Question 2</h1>');
	expect(page).toContain('Item 2, run 2');
	expect(page).toContain('value="Option 2"');
	const { status, itemsOf } = await tapLastPush();

	expect(status).toBe('success');
	expect(itemsOf('Loop', 0).map(({ json }) => json['data'])).toMatchObject([
		{ choice: 'Option 1' },
		{ choice: 'Option 2' },
	]);
});

test('each question of a loop ends its own Live Activity', async () => {
	await waiting(
		asksInLoop({
			resource: 'liveActivity',
			streamKey: '=loop-{{ $runIndex + 1 }}',
			title: 'Deploy?',
			message: 'Now',
		}),
	);
	for (const streamKey of ['loop-1', 'loop-2']) {
		const goneOn = execution.goneOn();
		const { activity_id } = (await activity(streamKey))!;
		await phone.tap({ activity_id, action: 'action' });
		await goneOn;

		expect((await phone.inbox()).findLast(({ kind }) => kind === 'activity_end')).toMatchObject({
			activity: { activity_id, content_state: { message: 'Approve · owner' } },
		});
	}
});

test('what is kept of a question holds no key and no signature', async () => {
	const { run } = await waiting(
		asks({
			resource: 'liveActivity',
			streamKey: 'kept',
			title: 'Deploy?',
			message: 'Now',
			...APPROVE_ONLY,
		}),
	);

	const kept = run.data.executionData?.contextData['node:Ask'];
	expect(kept).toEqual({
		round: 1,
		asked: {
			title: 'Deploy?',
			message: 'Now',
			choices: [{ label: 'Approve', approved: true }],
			streamToEnd: 'kept',
		},
	});
});

test('a question of a version that kept only its number can be answered', async () => {
	await waiting(asks({ title: 'Deploy?' }));
	execution.forget('Ask', 'asked');

	const { itemsOf } = await tapLastPush();

	expect(itemsOf('After')).toMatchObject([{ json: { data: { approved: true } } }]);
});
