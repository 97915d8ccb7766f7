import { APPROVE_ONLY, asks, asksInLoop, asksTwice } from './asking.ts';
import { goneOnWith, lastPush, lastQuestion, waiting, withOneQuestion } from './one-question.ts';

withOneQuestion();

/** An answer belongs to the question as asked, whatever the node's expressions would give by then. */

/** Taps the first button of the last question and returns the resumed run. */
const tapLast = async () =>
	await goneOnWith({ choice: (await lastQuestion()).choices?.[0]?.id ?? '' });

const oneChoice = (label: string) => ({
	responseType: 'choices',
	choices: { choice: [{ label }] },
});

test('a label with the time can be answered later', async () => {
	await waiting(
		asks({ title: 'Deploy?', ...oneChoice("=At {{ $now.toFormat('HH:mm:ss.SSS') }}") }),
	);
	const label = (await lastQuestion()).choices?.[0]?.title;
	expect(label).toMatch(/^At \d\d:/);

	const { itemsOf } = await tapLast();

	expect(itemsOf('After')).toMatchObject([{ json: { data: { choice: label } } }]);
});

test('an approval label with the time still approves', async () => {
	const approveLabel = "=Approve {{ $now.toFormat('HH:mm:ss.SSS') }}";
	await waiting(asks({ title: 'Deploy?', approvalOptions: { values: { approveLabel } } }));

	const { itemsOf } = await tapLast();

	expect(itemsOf('After')).toMatchObject([{ json: { data: { approved: true } } }]);
});

test('the answer to one node does not close the question of the next', async () => {
	await waiting(asksTwice({ title: 'Build?' }, { title: 'Deploy?' }));
	expect((await tapLast()).status).toBe('waiting');
	expect((await lastPush()).push.title).toBe('Deploy?');

	const { status, itemsOf } = await tapLast();

	expect(status).toBe('success');
	expect(itemsOf('After')).toMatchObject([{ json: { data: { approved: true } } }]);
});

test.each(['Ask {{ $json.version }}', 'Say "yes" or \'no\'', 'A \\ B', '💡 Ask', '}}'])(
	'a node of any name is resumed by its answer: %s',
	async (name) => {
		await waiting(JSON.parse(renamed(JSON.stringify(asks({ title: 'Deploy?' })), name)) as never);

		const { status, itemsOf } = await tapLast();

		expect(status).toBe('success');
		expect(itemsOf('After')).toMatchObject([{ json: { data: { approved: true } } }]);
	},
);

const renamed = (workflow: string, name: string) =>
	workflow.replaceAll('"Ask"', () => JSON.stringify(name));

test('each question of a loop takes its own label', async () => {
	await waiting(
		asksInLoop({
			title: '=Question {{ $runIndex + 1 }}',
			message: '=Item {{ $json.n }}, run {{ $runIndex + 1 }}',
			...oneChoice('=Option {{ $runIndex + 1 }}'),
		}),
	);
	expect((await tapLast()).status).toBe('waiting');
	expect((await lastQuestion()).choices).toMatchObject([{ title: 'Option 2' }]);

	const { status, itemsOf } = await tapLast();

	expect(status).toBe('success');
	expect(itemsOf('Loop', 0).map(({ json }) => json['data'])).toMatchObject([
		{ choice: 'Option 1' },
		{ choice: 'Option 2' },
	]);
});

test('what is kept of a question holds no key and no signature', async () => {
	const { run } = await waiting(asks({ title: 'Deploy?', message: 'Now', ...APPROVE_ONLY }));
	const { question_id: id } = await lastQuestion();

	const kept = run.data.executionData?.contextData['node:Ask'];
	expect(kept).toEqual({
		round: 1,
		asked: { id, choices: [{ id: 'approve', label: 'Approve', approved: true }] },
	});
});
