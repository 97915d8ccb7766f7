import { onlyItem, startBench, type Bench } from './bench.ts';

let bench: Bench;

beforeAll(async () => {
	bench = await startBench();
});

afterAll(async () => {
	await bench.server.stop();
});

const content = { activityType: 'alert', title: 'Deploy', message: 'Done' };

test.each([
	['a push', { resource: 'pushNotification', operation: 'send', title: 'A' }],
	['a badge', { resource: 'badge', operation: 'set', badge: 1 }],
	[
		'a Live Activity',
		{ resource: 'liveActivity', operation: 'upsert', streamKey: 'deploy', ...content },
	],
])(
	'%s has the id of its history entry and the meaning of the counts',
	async (_what, parameters) => {
		const run = await bench.run({ ...parameters, options: { includeDetails: true } });

		expect(onlyItem(run).json).toMatchObject({
			delivery_details: {
				history_id: expect.stringMatching(/^[\w-]{10,}/),
				counts: expect.stringContaining('Muted and quiet phones count, too.'),
			},
		});
	},
);

test('without the option, the output is the answer alone', async () => {
	const run = await bench.run({ resource: 'badge', operation: 'set', badge: 1 });

	expect(onlyItem(run).json).not.toHaveProperty('delivery_details');
});

describe('the answer to a question', () => {
	const question = { title: 'Deploy?', options: { includeDetails: true } };
	const details = {
		delivery_details: {
			history_id: expect.stringMatching(/^[\w-]{10,}/) as string,
			counts: expect.stringContaining('Muted and quiet phones count, too.') as string,
		},
	};

	/** Answers the newest question once it has come. */
	async function decline(): Promise<string> {
		for (;;) {
			const push = (await bench.phone.inbox()).findLast(({ kind }) => kind === 'push');
			const id = push && 'push' in push ? push.push.question?.question_id : undefined;
			if (id !== undefined) {
				await bench.phone.answer(id, { choice: 'decline' });
				return id;
			}
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}

	test('has them beside it', async () => {
		const asking = bench.run({
			operation: 'sendAndWait',
			...question,
			options: { ...question.options, howToWait: 'keepRunning' },
		});
		const questionId = await decline();

		expect(onlyItem(await asking).json).toMatchObject({
			data: { approved: false, responder: { name: expect.any(String) as string } },
			...details,
		});

		const state = onlyItem(
			await bench.run({ resource: 'question', operation: 'get', questionId }),
		).json;
		const { by } = state['answer'] as { by: { user: string; device: string } };
		expect(state).toMatchObject({
			status: 'answered',
			responder: { name: by.user, device: by.device },
		});
	});

	test('nobody has answered an open question', async () => {
		const asked = bench.run({
			operation: 'sendAndWait',
			...question,
			options: { howToWait: 'keepRunning' },
		});
		const listing = { resource: 'question', operation: 'getAll' };
		let questionId: unknown;
		while (questionId === undefined)
			questionId = (await bench.run(listing)).itemsOf('Beckon')[0]?.json['question_id'];
		const one = { resource: 'question', questionId: questionId as string };

		expect(onlyItem(await bench.run({ ...one, operation: 'get' })).json).toMatchObject({
			status: 'open',
			responder: null,
		});
		await bench.run({ ...one, operation: 'withdraw' });
		expect(onlyItem(await asked).json).toMatchObject({ data: { status: 'withdrawn' } });
	});
});
