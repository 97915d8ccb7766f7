import { n8n } from '../engine/n8n.ts';
import { runBeckon } from '../engine/one-node.ts';
import type { Phone } from '../engine/phone.ts';
import { prepareRun } from '../engine/run-workflow.ts';
import { TestServer } from '../engine/server.ts';
import { testCredential } from '../engine/test-credential.ts';
import { answerFor, callWebhook } from '../engine/waiting.ts';
import { serveWebhooks } from '../engine/webhook-server.ts';
import type { Push } from './asking.ts';

const SECRET = 'correct horse battery staple';

let server: TestServer;
let phone: Phone;
let key: string;
let n8nUrl: string;
let close: () => Promise<void>;
let secret: string;

/** The data that started the workflow. */
let started: unknown[] = [];

beforeAll(async () => {
	server = await TestServer.start({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
	({ key, phone } = await server.seedDemo());
	({ url: n8nUrl, close } = await serveWebhooks(async (request, response) => {
		const result = await callWebhook(await prepared(), 'Trigger', request, response);
		if (result.workflowData) started.push(...result.workflowData.flat());
		answerFor(result, response);
	}));
});

afterAll(async () => {
	await close();
	await server.stop();
});

beforeEach(() => {
	started = [];
	secret = SECRET;
});

const prepared = async () =>
	await prepareRun({
		workflow: {
			nodes: [
				{
					id: 'Trigger',
					name: 'Trigger',
					type: 'n8n-nodes-beckon.beckonTrigger',
					typeVersion: 1,
					position: [0, 0],
					parameters: {},
				},
			],
			connections: {},
		},
		credentials: { beckonTriggerApi: { secret } },
	});

const call = async (body: unknown) =>
	await fetch(`${n8nUrl}/webhook/1/beckon`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

async function sendButton(itsSecret = SECRET): Promise<Push> {
	const button = {
		title: 'Water the plants',
		type: 'start_workflow',
		url: `${n8nUrl}/webhook/1/beckon`,
		data: '={{ { "plant": $json.plant } }}',
	};
	const run = await runBeckon(
		{ title: 'Dry', actions: { button: [button] }, triggerCredential: 'beckonTrigger' },
		{
			items: [{ plant: 'Monstera' }],
			credentials: {
				beckonApi: { baseUrl: server.baseUrl, apiKey: key },
				beckonTriggerApi: { secret: itsSecret },
			},
		},
	);
	// Neither the stored execution nor the exported workflow contains the secret.
	expect(JSON.stringify(run.run)).not.toContain(itsSecret);
	expect(run.error?.message).toBeUndefined();
	return (await phone.inbox()).at(-1) as Push;
}

test('a tapped button starts the workflow with its data, who and when', async () => {
	const push = await sendButton();
	expect(push.push.actions).toMatchObject([{ title: 'Water the plants', type: 'webhook' }]);
	expect(JSON.stringify(push)).not.toContain(SECRET);

	const tap = await phone.tap({ delivery_id: push.id, action: 0 });

	expect(tap).toMatchObject({ outcome: 'called', status: 200, message: 'Done.' });
	expect(started).toEqual([
		{
			json: {
				data: { plant: 'Monstera' },
				user: 'owner',
				device: expect.any(String) as string,
				tappedAt: expect.any(String) as string,
				tapId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
			},
		},
	]);
});

test('a repeated call has the id of its tap, another tap one of its own', async () => {
	const callOf = async (headers: Record<string, string>) =>
		await fetch(`${n8nUrl}/webhook/1/beckon`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: JSON.stringify({ secret: SECRET, data: {} }),
		});
	for (const id of ['first', 'first', 'second']) await callOf({ 'beckon-tap-id': id });
	await callOf({});

	expect(started.map((item) => (item as { json: object }).json)).toMatchObject([
		{ tapId: 'first' },
		{ tapId: 'first' },
		{ tapId: 'second' },
		{ tapId: null },
	]);
});

test('the call is answered in words for the person who tapped', async () => {
	const answer = await call({ secret: SECRET, data: {} });

	expect(answer.status).toBe(200);
	expect(await answer.json()).toEqual({ message: 'Done.' });
});

test('the button is found wrong before anything is sent', async () => {
	const run = await runBeckon(
		{ title: 'Dry', actions: { button: [{ title: 'Go', type: 'start_workflow' }] } },
		{
			credentials: { beckonApi: { baseUrl: server.baseUrl, apiKey: key } },
			node: { credentials: { beckonTriggerApi: undefined as never } },
		},
	);

	expect(run.error?.message).toBe(
		'Button 1: Trigger URL (actions[0].url) is required. Button 1 (actions[0].secret) is missing: set Trigger Credential under Settings to Beckon Trigger, then choose its credential under Parameters.',
	);
});

test('a button with another secret starts nothing', async () => {
	const push = await sendButton('another');

	const tap = await phone.tap({ delivery_id: push.id, action: 0 });

	expect(tap).toMatchObject({ status: 403 });
	expect(started).toEqual([]);
});

test.each<[string, unknown]>([
	['no secret', { data: {} }],
	['a part of the secret', { secret: SECRET.slice(0, -1) }],
	['more than the secret', { secret: `${SECRET}!` }],
	['the secret twice', { secret: SECRET + SECRET }],
	['a secret that is no text', { secret: [SECRET] }],
	['no object', [SECRET]],
])('%s starts nothing', async (_what, body) => {
	const response = await call(body);

	expect(response.status).toBe(403);
	expect(await response.text()).not.toContain(SECRET);
	expect(started).toEqual([]);
});

test('a trigger without a secret lets nothing in', async () => {
	secret = '';

	expect((await call({ secret: '', data: {} })).status).toBe(403);
	expect(started).toEqual([]);
});

test('names are read as they are, whatever their script; a broken one as it came', async () => {
	const headers = {
		'content-type': 'application/json',
		'beckon-user': encodeURIComponent('Zoë 李'),
		'beckon-device': '100%',
		'beckon-tapped-at': 'yesterday',
	};
	await fetch(`${n8nUrl}/webhook/1/beckon`, {
		method: 'POST',
		headers,
		body: JSON.stringify({ secret: SECRET, data: 'text' }),
	});

	expect(started).toMatchObject([{ json: { data: {}, user: 'Zoë 李', device: '100%' } }]);
});

test('n8n gives it a URL of its own, in whose path is no secret', async () => {
	const { workflow } = await prepared();
	const node = workflow.getNode('Trigger')!;
	const { description } = workflow.nodeTypes.getByNameAndVersion(node.type, 1);

	expect(n8n.NodeHelpers.getNodeWebhookPath('1', node, 'beckon', false)).toBe('1/trigger/beckon');
	// With any `responseData`, n8n answers with that text instead of the node's reply.
	expect(description.webhooks).toMatchObject([
		{ httpMethod: 'POST', path: 'beckon', responseData: '' },
	]);
	expect(description.group).toEqual(['trigger']);
	expect(description.codex?.categories).toContain('Communication');
});

test('the credential is tested for a secret that nobody guesses', async () => {
	const check = async (of: string) =>
		await testCredential('n8n-nodes-beckon.beckonTrigger', 'beckonTriggerApi', { secret: of });

	expect(await check(SECRET)).toMatchObject({ status: 'OK' });
	expect(await check('x'.repeat(15))).toEqual({
		status: 'Error',
		message: 'Use a random secret of at least 16 characters.',
	});
});
