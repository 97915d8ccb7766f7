import type { GenericValue, IDataObject, INodeParameters } from 'n8n-workflow';

import { agentWith } from '../engine/agent.ts';
import { runBeckon } from '../engine/one-node.ts';
import { acceptEverything, type RecordingServer } from '../engine/recording-server.ts';

/**
 * Attempts with what a workflow's data, its author or an agent may put into the node: to reach more than the author
 * meant, to let others answer, and to have approved what nobody has seen.
 */

/** What the service says about the end of a question. */
let ended: object = {};
let service: RecordingServer;

beforeAll(async () => {
	service = await acceptEverything((path) => ({
		...(path.startsWith('/api/questions/') && ended),
	}));
});

afterAll(() => {
	service.stop();
});

const credentials = () => ({ beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } });

/** Runs the node for items. @returns what was sent, and the output or the error */
async function run(parameters: INodeParameters, items: IDataObject[] = [{}]) {
	service.requests.length = 0;
	const done = await runBeckon(parameters, { items, credentials: credentials() }).catch(
		(error: unknown) => ({ error: error as Error, itemsOf: () => [] }),
	);
	return { sent: [...service.requests], error: done.error, items: done.itemsOf('Beckon') };
}

/** An agent calls the node with words of its own. */
async function callBy(parameters: INodeParameters, words: Record<string, string>) {
	service.requests.length = 0;
	const agent = await agentWith(parameters, credentials());
	const outcome = await agent(words).catch((error: unknown) => error as Error);
	return { sent: [...service.requests], outcome };
}

const targets = (sent: typeof service.requests) =>
	sent.map(({ body }) => (body as { target?: object }).target);

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };

const asking = { ...send, operation: 'sendAndWait', responseType: 'approval' };

const keeping = (options: INodeParameters = {}) => ({
	...asking,
	options: { howToWait: 'keepRunning', ...options },
});

describe('a message reaches more than its author meant', () => {
	test.each([
		[{ operation: '={{ "send" }}' }],
		[{ resource: '={{ "pushNotification" }}' }],
		[{ operation: '={{ $json.nope }}' }],
		[{ sendTo: '={{ $json.to }}' }],
		[{ sendTo: '={{ $fromAI("to") }}' }],
	])('by an expression for what takes none: %j', async (more) => {
		const to = { sendTo: 'channels', channels: ['ops'] };
		const { sent, error } = await run({ ...send, ...to, ...more }, [{ to: 'all' }]);
		expect([sent, error === undefined]).toEqual([[], false]);
	});

	test.each<[GenericValue]>([
		['ops'],
		['all'],
		['phone-ops'],
		['PHONE-5f0c1e0a6a534f0e9d0b6c6b'],
		['phone-5f0c1e0a6a534f0e9d0b6c6b,ops'],
		['phone-5f0c1e0a6a534f0e9d0b6c6b\nops'],
		[['phone-5f0c1e0a6a534f0e9d0b6c6b', 'ops']],
		[{ value: 'ops' }],
	])('by a phone that is none: %j', async (value) => {
		const phone = { __rl: true, mode: 'key', value: '={{ $json.phone }}' };
		const { sent, error } = await run({ ...send, sendTo: 'phone', phone }, [{ phone: value }]);
		expect([sent, error?.message]).toEqual([[], expect.stringContaining('Phone (')]);
	});

	test('by a phone that an agent names', async () => {
		const phone = { __rl: true, mode: 'key', value: '={{ $fromAI("phone", "", "string") }}' };
		const tool = { ...send, sendTo: 'phone', phone };
		for (const said of ['everybody', 'ops', '']) {
			const { sent, outcome } = await callBy(tool, { phone: said });
			expect([said, sent, outcome instanceof Error]).toEqual([said, [], true]);
		}
		const one = 'phone-5f0c1e0a6a534f0e9d0b6c6b';
		expect(targets((await callBy(tool, { phone: one })).sent)).toEqual([{ channels: [one] }]);
	});

	test.each<[GenericValue]>([
		['*'],
		[[['ops'], ['sales']]],
		[[{ slug: 'ops' }]],
		[{ 0: 'ops', length: 1 }],
		[[null]],
		['[]'],
		[',\n,'],
		[true],
	])('by channels that are none: %j', async (value) => {
		const to = { sendTo: 'channels', channels: '={{ $json.team }}' };
		const { sent, error } = await run({ ...send, ...to }, [{ team: value }]);
		const [target] = targets(sent);
		// As the name of a channel, which the service does not know.
		const isNamed = JSON.stringify(target) === JSON.stringify({ channels: ['true'] });
		expect(isNamed ? value : [sent, error === undefined]).toEqual(isNamed ? true : [[], false]);
	});

	test.each(['all', 'everybody', '["all"]'])('by channels of an agent: %j', async (team) => {
		const channels = '={{ $fromAI("team", "", "string", "") }}';
		const { sent } = await callBy({ ...send, sendTo: 'channels', channels }, { team });
		expect(targets(sent)).toEqual([{ channels: [team.replace(/\W/g, '')] }]);
	});

	test('by an escalation to channels that an expression does not give', async () => {
		for (const channels of ['={{ $json.nope }}', '={{ [] }}', '={{ " " }}', '={{ null }}']) {
			const escalate = { values: { afterMinutes: 5, channels } };
			const { sent, error } = await run(keeping({ escalate }));
			expect([sent, error?.message]).toEqual([[], expect.stringContaining('Escalate')]);
		}
	});

	test.each(['..', '.', 'a/b', '../badge', '%2e%2e', 'q?x=1', 'q#', 'q/answer'])(
		'or changes something else, by the path %j',
		async (value) => {
			const key = { __rl: true, mode: 'key', value };
			for (const parameters of [
				{ resource: 'question', operation: 'withdraw', questionId: key },
				{ resource: 'liveActivity', operation: 'end', streamKey: key },
				{ ...send, operation: 'stopRepeating', repeatId: value },
				{ resource: 'metric', operation: 'setValue', key, value: '1' },
			]) {
				const { sent } = await run(parameters);
				const isEncoded = sent.every(
					({ path }) => !/[?#]|%2e|\.\./i.test(path) && path.split('/').length <= 5,
				);
				expect([parameters.resource, isEncoded, sent.length]).toEqual([
					parameters.resource,
					true,
					0,
				]);
			}
		},
	);
});

describe('somebody answers whom the author did not mean', () => {
	const form = { formFields: { values: [{ fieldLabel: 'L', fieldType: 'text' }] } };

	test('in a form, which cannot tell who fills it in', async () => {
		const options = { answerableBy: ['Boss'] };
		const parameters = { ...asking, ...form, options, responseType: '={{ $json.type }}' };
		const { sent, error } = await run(parameters, [{ type: 'customForm' }]);
		expect([sent, error === undefined]).toEqual([[], false]);
	});

	test.each<[GenericValue]>([[{ name: 'Boss' }], [[{ name: 'Boss' }]], ['[]'], [',']])(
		'if an expression gives no names: %j',
		async (who) => {
			const options = keeping({ answerableBy: '={{ $json.who }}' });
			const { sent } = await run(options, [{ who }]);
			// The service refuses a list without names.
			for (const { body, method } of sent)
				expect(method === 'GET' || body).toEqual(
					method === 'GET' || expect.objectContaining({ answerable_by: [] }),
				);
		},
	);
});

describe('it is approved what nobody approves', () => {
	test.each<[string, object]>([
		['it has ended without an answer', { status: 'answered' }],
		['it was withdrawn', { status: 'withdrawn', answer: null }],
		['it is over', { status: 'expired', answer: 'approve' }],
		['the label is the answer', { status: 'answered', answer: { choice: 'Approve' } }],
		['another name', { status: 'answered', answer: { choice: 'constructor' } }],
		['a list', { status: 'answered', answer: { choice: ['approve'] } }],
		['a text', { status: 'answered', answer: { text: 'approve' } }],
		['a form', { status: 'answered', answer: { by: 'form', fields: { approved: true } } }],
	])('because the service says that %s', async (_what, state) => {
		ended = state;
		const { items } = await run(keeping());
		expect(items).toHaveLength(1);
		expect(items[0]?.json['data']).toMatchObject({ approved: false, responder: null });
	});

	test.each(['approve', 'APPROVE', 'Approve.', '={{ $json.nope }}', '={{ true }}'])(
		'by a default that is no button: %j',
		async (defaultAnswer) => {
			const { sent, error } = await run(keeping({ defaultAnswer }));
			expect([sent, error?.message]).toEqual([[], expect.stringContaining('Default Answer')]);
		},
	);

	test.each([
		['Approve', 'Approve '],
		['Approve', 'Approve\u200B'],
		['Approve', '\u202EApprove'],
	])('by buttons that look the same: %j and %j', async (approveLabel, disapproveLabel) => {
		const approvalOptions = { values: { approveLabel, disapproveLabel } };
		const { sent, error } = await run({ ...keeping(), approvalOptions });
		expect([sent, error === undefined]).toEqual([[], false]);
	});
});

describe('a human review hides what the tool gets', () => {
	const message = '=May it run {{ $tool.name }}?\n\n{{ $tool.parameters }}';

	const review = async (toolParameters: IDataObject, more: INodeParameters = {}) => {
		ended = { status: 'withdrawn' };
		const { sent, error } = await run({ ...keeping(more), message }, [
			{ tool: 'Shell', toolParameters },
		]);
		return { message: (sent[0]?.body as IDataObject | undefined)?.['message'], error };
	};

	test('behind more than a phone shows', async () => {
		const { message: shown, error } = await review({ a: 'x'.repeat(16_000), z: 'rm -rf ~' });
		expect([shown, error?.message]).toEqual([undefined, expect.stringContaining('Message')]);
	});

	test.each([
		['a reading direction', 'a\u202Eb', 'a\\u202eb'],
		['letters that nobody sees', 'a\u{E0041}\u200Bb', 'a\\udb40\\udc41\\u200bb'],
		['a line that is none', 'a\u2028b\u0085c', 'a\\u2028b\\u0085c'],
		['blanks of another kind', 'a\u3164\u00A0\u2800b', 'a\\u3164\\u00a0\\u2800b'],
		['a line break', 'a\n"z": "b', 'a\\n\\"z\\": \\"b'],
		['many blanks', `a${' '.repeat(17)}b`, `a${'\\u0020'.repeat(17)}b`],
		['no harm', 'Zoë 🔧 山田  {{ 1 }}', undefined],
	])('behind %s', async (_what, value, shown) => {
		const seen = JSON.stringify({ command: value });
		const expected = shown === undefined ? seen : `{"command":"${shown}"}`;
		const { message: text } = await review({ command: value });
		expect(text).toBe(`May it run Shell?\n\n${expected}`);
	});
});
