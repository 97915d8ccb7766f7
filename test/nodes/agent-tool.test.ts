import { agentWith } from '../engine/agent.ts';
import { startBench, type Bench } from './bench.ts';

/** AI Agent before version 3 runs its tools inside its own node, which cannot be resumed. */

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const tool = async (responseType: string) =>
	await agentWith(
		{
			resource: 'pushNotification',
			operation: 'sendAndWait',
			title: 'May I?',
			responseType,
			formFields: { values: [{ fieldLabel: 'Why' }] },
		},
		{ beckonApi: { baseUrl: bench.server.baseUrl, apiKey: bench.key } },
	);

test('the tool keeps running until the question is answered', async () => {
	const output = (await tool('approval'))({});
	const { question_id: id } = await bench.phone.question('May I?');
	await bench.phone.answer(id, { choice: 'approve' });

	expect(await output).toMatchObject([
		[{ json: { data: { status: 'answered', approved: true } } }],
	]);
});

test('a form, which only n8n could show, is refused before anything is sent', async () => {
	const before = await bench.phone.inbox();

	await expect((await tool('form'))({})).rejects.toThrow(
		'Response Type must not be Custom Form as a tool of an AI Agent before version 3.',
	);
	expect(await bench.phone.inbox()).toEqual(before);
});
