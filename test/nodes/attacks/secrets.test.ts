import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../engine/one-node.ts';
import { RecordingServer } from '../../engine/recording-server.ts';
import { asks, asksInLoop, asksTwice } from '../asking.ts';
import { execution, goneOnWith, lastQuestion, waiting, withOneQuestion } from '../one-question.ts';

/** Attempts to read a secret in what n8n keeps of an execution, and to go on with what is another question's. */

const KEY = 'bk_9hTsecret';
const SECRETS = /9hTsecret|pa5s|w0rd|signature=/;
const NOTHING = 'http://127.0.0.1:9/api';

let refusing: RecordingServer;
beforeAll(async () => {
	const message = 'callback.url must be an https URL.';
	const issues = [{ path: 'callback.url', message: 'must be an https URL' }];
	refusing = await RecordingServer.start({
		status: 400,
		body: { error: 'Invalid request', message, issues },
	});
});
afterAll(() => {
	refusing.stop();
});

// Nothing is tried again.
const options = { longestWait: 0 };
const send = { resource: 'pushNotification', operation: 'send', title: 'T', options };
const ask = { ...send, operation: 'sendAndWait', responseType: 'approval', options: {} };

/** Runs the node. @returns all that n8n stores of it */
async function stored(
	parameters: INodeParameters,
	{
		baseUrl = NOTHING,
		json = {},
		node = {},
	}: { baseUrl?: string; json?: IDataObject; node?: Partial<INode> } = {},
) {
	const run = await runBeckon(parameters, {
		items: [json],
		node,
		credentials: { beckonApi: { baseUrl, apiKey: KEY } },
		webhookWaitingBaseUrl: 'http://127.0.0.1:5678/webhook-waiting',
	});
	const { error } = run;
	const told = error?.message ?? (run.itemsOf('Beckon')[0]?.json['error'] as string);
	// The parameters are stored as their author has written them.
	const all = JSON.stringify([run.run, error?.message, error?.stack], (name, value: unknown) =>
		name === 'parameters' ? undefined : value,
	);
	return { told, all };
}

const proxied = (proxy: string) => ({ ...send, requestOptions: { proxy } }) as INodeParameters;

describe('a secret is shown by an error', () => {
	test.each<
		[string, INodeParameters, { baseUrl?: string; json?: IDataObject; node?: Partial<INode> }]
	>([
		['the key, with nothing at the address', send, {}],
		['the password of the address', send, { baseUrl: 'http://me:pa5s@127.0.0.1:9/api' }],
		['a password with an @', send, { baseUrl: 'http://me:pa5s@w0rd@127.0.0.1:9/api' }],
		['a password with a slash', send, { baseUrl: 'http://me:pa5s/w0rd@127.0.0.1:9/api' }],
		['a password with a question mark', send, { baseUrl: 'http://me:pa5s?w0rd@127.0.0.1:9/api' }],
		['a password with a number sign', send, { baseUrl: 'http://me:pa5s#w0rd@127.0.0.1:9/api' }],
		['a key in the query of the address', send, { baseUrl: 'http://127.0.0.1:9/api?key=pa5s' }],
		[
			'the password of a proxy',
			proxied('http://me:pa5s@127.0.0.1:9'),
			{ baseUrl: 'http://127.0.0.1:10/api' },
		],
		['that of a proxy that is none', proxied('http://me:pa5s@w0rd@127.0.0.1'), {}],
		['the address that answers a question', ask, { baseUrl: 'REFUSING' }],
		[
			'the same, if the node goes on',
			ask,
			{ baseUrl: 'REFUSING', node: { onError: 'continueRegularOutput' } },
		],
	])('%s', async (_what, parameters, options) => {
		const baseUrl = options.baseUrl === 'REFUSING' ? `${refusing.url}/api` : options.baseUrl;
		const { told, all } = await stored(parameters, { ...options, ...(baseUrl && { baseUrl }) });
		expect(told).toMatch(/^(Could not reach|Beckon|The Beckon|Proxy|.*callback)/);
		expect(all).not.toMatch(SECRETS);
	});
});

describe('an item puts more into a request than its author meant', () => {
	test.each([
		'7\r\nidempotency-key: x',
		'7\nTTL: 1',
		'7\u0000',
		'7, 8',
		'ü',
		'x'.repeat(65),
		{ id: 7 },
		[7, 8],
	])('by a name of what it replaces: %j', async (it) => {
		const parameters = { ...send, options: { ...options, replaces: '={{ $json.it }}' } };
		const { told } = await stored(parameters, { json: { it } });
		expect(told).toMatch(/Replaces \(X-Sequence-ID\) must be/);
	});

	test.each([
		`trg_${'a'.repeat(43)}?every_tap=true`,
		`trg_${'a'.repeat(43)}/done`,
		`../triggers/trg_${'a'.repeat(43)}`,
		`https://example.com/triggers/trg_${'a'.repeat(43)}`,
		` `,
	])('by the workflow that a button starts: %j', async (it) => {
		const trigger = { __rl: true, mode: 'key', value: '={{ $json.it }}' };
		const button = [{ title: 'Go', type: 'start_workflow', trigger, firstTap: true }];
		const { told } = await stored(
			{ ...send, actions: { button } },
			{
				json: { it },
			},
		);
		expect(told).toMatch(/Workflow \(actions\[0\]\.(trigger|url)\)/);
	});
});

describe('an execution that waits', () => {
	withOneQuestion();

	test('keeps neither the key nor the address that answers its question', async () => {
		const run = await waiting(asks({ title: 'Deploy?' }));
		expect(JSON.stringify(run.run.data)).not.toMatch(/bk_[\w-]{43}|signature=/);
		await goneOnWith({ choice: 'decline' });
	});

	const tell = async (url: string, questionId: string) => {
		const by = { user: 'Ada', device: 'iPhone' };
		const body = JSON.stringify({
			question_id: questionId,
			status: 'answered',
			answer: { choice: 'approve', by, at: '2026-03-01T12:00:00.000Z' },
		});
		const headers = { 'content-type': 'application/json' };
		const { status } = await fetch(url, { method: 'POST', headers, body });
		expect(status).toBeGreaterThanOrEqual(400);
		expect(execution.isWaiting).toBe(true);
	};

	test('does not take the end of the question of the node before, at either address', async () => {
		await waiting(asksTwice({ title: 'Build?' }, { title: 'Deploy?' }));
		const { question_id: build } = await lastQuestion();
		await goneOnWith({ choice: 'approve' });
		for (const node of ['Ask', 'Ask Again'])
			await tell(execution.resumeUrl(node, { round: '1' }), build);
		const run = await goneOnWith({ choice: 'decline' });
		expect(run.itemsOf('After')[0]?.json['data']).toMatchObject({ approved: false });
	});

	test('does not take that of another item of its loop, nor its own at the other’s address', async () => {
		await waiting(asksInLoop({ title: '=Item {{ $json.n }}?' }));
		const { question_id: first } = await lastQuestion();
		await goneOnWith({ choice: 'approve' });
		const { question_id: second } = await lastQuestion();
		expect(second).not.toBe(first);
		await tell(execution.resumeUrl('Ask', { round: '1' }), first);
		await tell(execution.resumeUrl('Ask', { round: '1' }), second);
		await tell(execution.resumeUrl('Ask', { round: '2' }), first);
		await goneOnWith({ choice: 'decline' });
	});
});
