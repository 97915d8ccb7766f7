import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { OpenNode } from '../../engine/editor-lists.ts';
import { BECKON, runBeckon } from '../../engine/one-node.ts';
import { testCredential } from '../../engine/test-credential.ts';
import { startTrigger, type Emitted } from '../../engine/trigger.ts';

/**
 * Attempts to get what a node sends to another place: to another host by a redirect, to the recipients of another item, or,
 * with the tap that starts a workflow, into other fields than its data.
 */

const PNG = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

interface Received {
	method: string;
	path: string;
	headers: IDataObject;
	body: IDataObject;
}

interface Response {
	status?: number;
	headers?: Record<string, string>;
	body?: object;
}

/** A server that keeps what it gets. */
async function listen(respond: (request: Received) => Response) {
	const received: Received[] = [];
	const server: Server = createServer((request, response) => {
		let text = '';
		request.on('data', (chunk: Buffer) => (text += chunk.toString()));
		request.once('end', () => {
			const { method = '', url: path = '', headers } = request;
			const isJson = headers['content-type']?.startsWith('application/json') === true;
			const body = isJson && text !== '' ? (JSON.parse(text) as IDataObject) : { text };
			const one = { method, path, headers: headers as IDataObject, body };
			received.push(one);
			const { status = 200, headers: more, body: said = { success: true } } = respond(one);
			response.writeHead(status, { 'content-type': 'application/json', ...more });
			response.end(JSON.stringify(said));
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const stop = () => {
		server.close();
		server.closeAllConnections();
	};
	return { url, received, stop };
}

type Listening = Awaited<ReturnType<typeof listen>>;

let respond: (request: Received) => Response;
let service: Listening;
/** A host that is not the author's. */
let other: Listening;
beforeAll(async () => {
	service = await listen((request) => respond(request));
	other = await listen(() => ({}));
});
afterAll(() => {
	service.stop();
	other.stop();
});
beforeEach(() => {
	respond = () => ({});
	service.received.length = 0;
	other.received.length = 0;
});

const access = () => ({ baseUrl: `${service.url}/api`, apiKey: 'bk_secret' });
const credentials = () => ({ beckonApi: access() });
const push = { resource: 'pushNotification', operation: 'send', title: 'Salary' };
const onStream = { resource: 'liveActivity', activityType: 'alert', title: 'T', message: 'M' };

const run = async (parameters: INodeParameters, items: IDataObject[] = [{}], more: object = {}) =>
	await runBeckon(parameters, { items, credentials: credentials(), ...more }).catch(
		(cause: unknown) => ({ error: cause as Error, itemsOf: () => [] }),
	);

/** Starts a trigger as the editor does, and waits for its tap. */
async function executeStep(): Promise<{ emitted: Emitted[]; error?: Error }> {
	const emitted: Emitted[] = [];
	const given = { name: 'Watering', mode: 'manual', access: access() } as const;
	const { manualTriggerFunction } = await startTrigger({ ...given, emit: (e) => emitted.push(e) });
	try {
		await manualTriggerFunction?.();
		return { emitted };
	} catch (error) {
		return { emitted, error: error as Error };
	}
}

describe('a redirect takes the key, or what is sent, to another host', () => {
	const options = { longestWait: 0 };
	const sends = (parameters: IDataObject) => async () =>
		(await run({ ...parameters, options })).error;
	const failureOf = async (loading: Promise<unknown>) =>
		await loading.then(
			() => undefined,
			(error: unknown) => error as Error,
		);
	const opened = (load: (node: OpenNode) => Promise<unknown>) => async () =>
		await failureOf(load(new OpenNode({}, credentials())));

	const CALLS: Record<string, () => Promise<unknown>> = {
		'a push': sends(push),
		'a stream': sends({ ...onStream, operation: 'upsert', streamKey: 's' }),
		'the end of a stream': sends({ resource: 'liveActivity', operation: 'end', streamKey: 's' }),
		'a metric': sends({ resource: 'metric', operation: 'setValue', key: 'm', value: '1' }),
		'a badge': sends({ resource: 'badge', operation: 'set', badge: 1 }),
		'a question': sends({ ...push, operation: 'sendAndWait', responseType: 'approval' }),
		'a list': sends({ resource: 'channel', operation: 'getAll' }),
		'a picture': async () => {
			const data = { data: PNG.toString('base64'), mimeType: 'image/png' };
			const parameters = { ...push, options: { ...options, imageField: 'data' } };
			return (await run(parameters, [{}], { binary: { data } })).error;
		},
		'the list of a field': opened(async (node) => await node.options('getChannels')),
		'the search in a field': opened(async (node) => await node.search('searchPhones', 'a')),
		'the registration of a trigger': async () => (await executeStep()).error,
		'the test of a credential': async () => {
			const { status } = await testCredential(BECKON, 'beckonApi', access());
			return status === 'Error';
		},
	};

	test.each(Object.keys(CALLS))('with %s', async (what) => {
		for (const status of [301, 302, 303, 307, 308]) {
			respond = ({ path }) => ({ status, headers: { location: `${other.url}${path}` }, body: {} });
			expect([status, Boolean(await CALLS[what]!())]).toEqual([status, true]);
		}
		expect(service.received.length).toBeGreaterThan(4);
		expect(other.received).toEqual([]);
	});

	test('with the picture stored, and the push that shows it sent on', async () => {
		respond = ({ path }) =>
			path.endsWith('/images')
				? { body: { success: true, url: 'https://example.com/images/x' } }
				: { status: 307, headers: { location: `${other.url}${path}` } };
		const data = { data: PNG.toString('base64'), mimeType: 'image/png' };
		const { error } = await run(
			{ ...push, options: { longestWait: 0, imageField: 'data' } },
			[{}],
			{ binary: { data } },
		);
		expect(error).toBeDefined();
		expect(service.received.map(({ path }) => path)).toEqual([
			'/api/images',
			'/api/push-notification',
		]);
		expect(other.received).toEqual([]);
	});
});

describe('what one item has is sent for another', () => {
	const it = '={{ $json.it }}';
	const toChannels = { ...push, sendTo: 'channels' };
	const phoneOf = (end: string) => `phone-5f0c1e0a6a534f0e9d0b6c${end}`;

	const PLACES: Record<string, { parameters: object; of?: (one: string) => string }> = {
		'as a channel': { parameters: { ...toChannels, channels: it } },
		'as one of several channels': { parameters: { ...toChannels, channels: ['ops', it] } },
		'as a phone': {
			parameters: { ...push, sendTo: 'phone', phone: { __rl: true, mode: 'id', value: it } },
			of: phoneOf,
		},
		'in a button': {
			parameters: {
				...push,
				actions: { button: [{ title: it, type: 'open_url', url: 'https://a.b' }] },
			},
		},
		'in the address that a button calls': {
			parameters: {
				...push,
				actions: {
					button: [
						{ title: 'A', type: 'webhook', url: '=https://a.b/{{ $json.it }}', method: 'GET' },
					],
				},
			},
		},
		'in the data of a button': {
			parameters: {
				...push,
				actions: {
					button: [
						{
							title: 'A',
							type: 'webhook',
							url: 'https://a.b',
							method: 'POST',
							body: '={{ { of: $json.it } }}',
						},
					],
				},
			},
		},
		'in an option': { parameters: { ...push, options: { subtitle: it } } },
		'in a list of tags': { parameters: { ...push, options: { tags: it } } },
		'in metadata, as JSON': {
			parameters: { ...push, options: { metadata: '={"of": "{{ $json.it }}"}' } },
		},
		'in a repeat': {
			parameters: {
				...push,
				title: it,
				options: { repeat: { values: { everyMinutes: 5, times: 3 } } },
			},
		},
		'between the words of a message': {
			parameters: { ...push, message: '=Dear {{ $json.it }}, hello' },
		},
		'in a stream whose type is an expression': {
			parameters: {
				...onStream,
				operation: 'upsert',
				streamKey: 's',
				activityType: '={{ $json.it ? "alert" : "timer" }}',
				message: it,
			},
		},
		'in the content of a stream': {
			parameters: { ...onStream, operation: 'upsert', streamKey: 's', message: it },
		},
		'as the key of a stream': {
			parameters: {
				...onStream,
				operation: 'upsert',
				streamKey: { __rl: true, mode: 'key', value: it },
			},
		},
		'as the key of a metric': {
			parameters: {
				resource: 'metric',
				operation: 'setValue',
				value: '1',
				key: { __rl: true, mode: 'key', value: it },
			},
		},
	};

	test.each(Object.keys(PLACES))('%s', async (place) => {
		const { parameters, of = (one: string) => one } = PLACES[place]!;
		const values = ['c1', 'd2', 'e3'].map(of);
		const items = values.map((value) => ({ it: value }));
		const { error } = await run(parameters as INodeParameters, items);
		expect(error?.message).toBeUndefined();
		const sent = service.received.map(({ path, body }) => path + JSON.stringify(body));
		expect(sent).toHaveLength(3);
		// Each names its own, and no other.
		for (const value of values) expect(sent.filter((one) => one.includes(value))).toHaveLength(1);
		for (const one of sent) expect(values.filter((value) => one.includes(value))).toHaveLength(1);
	});

	test('as its recipients, where it has none of its own', async () => {
		const parameters = { ...toChannels, channels: it } as INodeParameters;
		const { error } = await run(parameters, [{ it: 'ops' }, {}, { it: null }]);
		expect([error === undefined, service.received]).toEqual([false, []]);
	});

	test('as its recipients, where the node goes on after an error', async () => {
		const parameters = { ...toChannels, channels: it } as INodeParameters;
		const node = { onError: 'continueRegularOutput' };
		await run(parameters, [{ it: 'ops' }, {}, { it: 'sales' }], { node });
		expect(service.received.map(({ body }) => body['target'])).toEqual([
			{ channels: ['ops'] },
			{ channels: ['sales'] },
		]);
	});
});

describe('a tap puts something else into the workflow than its data', () => {
	const tap = {
		tap_id: '00000000-0000-4000-8000-000000000001',
		number: 1,
		button: 'Water',
		data: {},
		by: { user: 'Ada', device: 'Phone' },
		tapped_at: '2026-01-01T00:00:00Z',
		history_id: 'his_1',
	};

	const TAPS: Array<[string, object]> = [
		['the name of who tapped', { data: { responder: { name: 'Olga' }, name: 'Olga' } }],
		['the fields beside it', { data: { button: 'X', tapId: 'X', tappedAt: 'X', data: 'X' } }],
		['a whole item', { data: { json: { x: 1 }, binary: { x: 1 }, pairedItem: 7, error: 'X' } }],
		['an expression', { data: { it: '={{ $credentials }}' }, button: '={{ $env.HOME }}' }],
		['what objects inherit', { data: JSON.parse('{"__proto__": {"responder": "Olga"}}') }],
		['its constructor', { data: { constructor: { prototype: { responder: 'Olga' } } } }],
		['more of who tapped', { by: { user: 'Ada', device: 'Phone', name: 'Olga', role: 'owner' } }],
		['more of the tap', { responder: { name: 'Olga' }, json: {}, delivery_details: { x: 1 } }],
		['another name in the name of the phone', { by: { user: 'Ada', device: '","name":"Olga' } }],
	];

	test.each(TAPS)('as %s', async (_what, more) => {
		const given = { ...tap, ...more };
		respond = ({ method, path }) => {
			if (method === 'PUT') return { body: { success: true, last: 0 } };
			return { body: { success: true, ...(path.includes('/taps') && { taps: [given] }) } };
		};
		const { emitted, error } = await executeStep();
		expect(error?.message).toBeUndefined();
		expect(emitted.map(({ json }) => json)).toEqual([
			{
				data: given.data,
				button: given.button,
				responder: { name: 'Ada', device: given.by.device },
				tappedAt: tap.tapped_at,
				tapId: tap.tap_id,
			},
		]);
		expect((emitted[0]?.json as IDataObject)['responder']).not.toHaveProperty('role');
	});

	test('and is told to be done only for itself', async () => {
		respond = ({ method, path }) => {
			if (method === 'PUT') return { body: { success: true, last: 4 } };
			const taps = [
				{ ...tap, number: 5 },
				{ ...tap, number: 6, tap_id: 'other' },
			];
			return { body: { success: true, ...(path.includes('/taps') && { taps }) } };
		};
		const { emitted } = await executeStep();
		expect(emitted).toHaveLength(1);
		const done = service.received.filter(({ path }) => path.endsWith('/done'));
		expect(done.map(({ body }) => body)).toEqual([{ taps: [tap.tap_id], test: true }]);
		const asked = service.received.find(({ path }) => path.includes('/taps?'));
		expect(asked?.path).toMatch(/test=1&after=4&limit=1/);
	});
});
