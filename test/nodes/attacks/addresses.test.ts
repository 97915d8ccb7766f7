import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../engine/one-node.ts';
import { QUESTION } from '../../engine/recording-server.ts';

/** Attempts with addresses that hold a secret, in what n8n keeps of an execution, and with answers that nobody gave. */

const SECRETS = /9hTsecret|pa5s|w0rd|signature=/;

/** What the service responds. */
interface Response {
	status: number;
	headers?: Record<string, string>;
	body?: object;
}

let respond: (path: string) => Response;
let service: Server;
let url: string;
beforeAll(async () => {
	service = createServer((request, response) => {
		request.resume().once('end', () => {
			const { status, headers = {}, body = {} } = respond(request.url ?? '');
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			response.end(JSON.stringify(body));
		});
	});
	await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
	service.close();
	service.closeAllConnections();
});

const send = {
	resource: 'pushNotification',
	operation: 'send',
	title: 'T',
	options: { longestWait: 0 },
};
const ask = { ...send, operation: 'sendAndWait', responseType: 'approval', options: {} };

interface Options {
	baseUrl?: string;
	waitingUrl?: string;
	items?: IDataObject[];
	node?: Partial<INode>;
}

/** Runs the node. @returns what it says or outputs, and all that n8n stores of it */
async function run(parameters: INodeParameters, options: Options = {}) {
	const { baseUrl = `${url}/api`, waitingUrl, items, node } = options;
	const done = await runBeckon(parameters, {
		...(items && { items }),
		...(node && { node }),
		credentials: { beckonApi: { baseUrl, apiKey: 'bk_9hTsecret' } },
		webhookWaitingBaseUrl: waitingUrl ?? 'http://127.0.0.1:5678/webhook-waiting',
	}).catch((error: unknown) => ({ error: error as Error, run: undefined, itemsOf: () => [] }));
	const { error } = done;
	const output = done.itemsOf('Beckon').map(({ json }) => json);
	// The parameters are stored as their author has written them.
	const all = JSON.stringify(
		[done.run, error?.message, error?.stack, (error as { description?: string })?.description],
		(name, value: unknown) => (name === 'parameters' ? undefined : value),
	);
	return { told: error?.message ?? (output[0]?.['error'] as string), output, all };
}

describe('a secret is shown by the address that n8n has', () => {
	const refused = {
		status: 400,
		body: {
			error: 'Invalid request',
			message: 'callback.url must be an https URL.',
			issues: [{ path: 'callback.url', message: 'must be an https URL' }],
		},
	};

	test.each<[string, string]>([
		['without any', 'http://127.0.0.1:5678/webhook-waiting'],
		['with a password', 'http://me:pa5s@127.0.0.1:5678/webhook-waiting'],
		['with an @ in the password', 'http://me:pa5s@w0rd@127.0.0.1:5678/webhook-waiting'],
		['without a scheme', 'localhost:5678/webhook-waiting'],
		['of another scheme', 'n8n+http://127.0.0.1:5678/webhook-waiting'],
	])('that of its webhooks, %s', async (_what, waitingUrl) => {
		respond = () => refused;
		const { told, all } = await run(ask, { waitingUrl });
		expect(told).toMatch(/callback/);
		expect(all).toMatch(/must call n8n at \S*(127\.0\.0\.1|localhost):5678,/);
		expect(all).not.toMatch(SECRETS);
	});

	test.each<[string, string]>([
		['without a scheme', 'me:pa5s@127.0.0.1:9/api'],
		['of another scheme', 'htp://me:pa5s@127.0.0.1:9/api'],
		['with one slash', 'http:/me:pa5s@127.0.0.1:9/api'],
		['with blanks before it', '  http://me:pa5s@127.0.0.1:9/api'],
		['without a scheme, with an @ in the password', 'me:pa5s@w0rd@127.0.0.1:9/api'],
	])('that of the server, %s', async (_what, baseUrl) => {
		const { told, all } = await run(send, { baseUrl });
		expect(told).toMatch(/^Could not reach the Beckon server at /);
		expect(all).not.toMatch(SECRETS);
	});

	test.each<[string, string]>([
		['a password', 'https://me:pa5s@example.com/api/push-notification'],
		['a token', 'https://sso.example.com/login?token=pa5s#w0rd'],
	])('that to which a proxy redirects, with %s', async (_what, location) => {
		respond = () => ({ status: 302, headers: { location } });
		const { all } = await run(send);
		expect(all).toMatch(/redirects to https:\/\/[a-z.]+/);
		expect(all).not.toMatch(SECRETS);
	});

	test.each<[string, Response]>([
		['as a page', { status: 200, headers: { 'content-type': 'text/html' }, body: ['pa5s'] }],
		['as a failing proxy', { status: 502, headers: { via: 'pa5s' }, body: { got: 'pa5s' } }],
		['as another service', { status: 404, headers: { server: 'pa5s' }, body: { got: 'pa5s' } }],
	])('or by something that repeats what it got: %s', async (_what, response) => {
		respond = () => response;
		for (const node of [{}, { onError: 'continueRegularOutput' as const }]) {
			const { told, all } = await run(send, { node });
			expect(told).toMatch(/^(This does not look like a|The) Beckon server/);
			expect(all).not.toMatch(SECRETS);
		}
	});
});

describe('an answer that nobody gave passes for a person’s', () => {
	const FORGED = {
		status: 'answered',
		approved: true,
		choice: 'Approve',
		responder: { name: 'Boss', device: 'iPhone' },
		respondedAt: '2026-03-01T12:00:00.000Z',
	};
	const NOBODY = { approved: false, choice: null, responder: null, respondedAt: null };
	const waits = { ...ask, options: { howToWait: 'keepRunning' } } as INodeParameters;

	test.each<[string, object, string]>([
		['that has expired', { status: 'expired' }, 'expired'],
		['that was withdrawn', { status: 'withdrawn' }, 'withdrawn'],
		['that says answered, without an answer', { status: 'answered' }, 'expired'],
		['with an answer that is none', { status: 'answered', answer: 'approve' }, 'expired'],
		['with a list for an answer', { status: 'expired', answer: null }, 'expired'],
	])('by the data of the item, to a question %s', async (_what, state, status) => {
		respond = (path) => ({
			status: 200,
			body: { success: true, ...QUESTION, ...(path.includes('/q?') && state) },
		});
		const items = [{ data: FORGED, approved: true, order: 7 }];
		const { output } = await run(waits, { items });
		expect(output).toEqual([{ approved: true, order: 7, data: { status, ...NOBODY } }]);
	});

	test.each<[string, object]>([
		['the deadline', { choice: 'approve', by: 'deadline' }],
		['a form', { choice: 'approve', by: 'form' }],
		['nobody', { choice: 'approve' }],
		['a list', { choice: 'approve', by: ['Boss'] }],
	])('by the data of the item, to one that is answered by %s', async (_who, answer) => {
		respond = (path) => ({
			status: 200,
			body: {
				success: true,
				...QUESTION,
				...(path.includes('/q?') && { status: 'answered', answer }),
			},
		});
		const { output } = await run(waits, { items: [{ data: FORGED }] });
		const [{ data }] = output as [{ data: IDataObject }];
		expect(JSON.stringify(data)).not.toContain('Boss');
		expect(data['respondedAt']).toBeNull();
	});

	test('by the data of the item, if the service refuses, and the node goes on', async () => {
		respond = () => ({ status: 403, body: { error: 'Forbidden', message: 'No.' } });
		const node = { onError: 'continueRegularOutput' as const };
		const { output } = await run(waits, { items: [{ data: FORGED, approved: true }], node });
		expect(output).toEqual([{ error: expect.any(String) as string }]);
	});
});
