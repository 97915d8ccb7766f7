import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../engine/one-node.ts';
import type { Phone } from '../../engine/phone.ts';
import { TestServer } from '../../engine/server.ts';
import { sendingToService } from './support/sending.ts';

/**
 * Attempts of who sends data into a workflow by the addresses that it opens, calls or shows on phones, and by a button whose
 * kind or number of taps comes from the data. The real server decides what the node leaves to it.
 */

let server: TestServer;
let phone: Phone;
let key: string;
beforeAll(async () => {
	server = await TestServer.start();
	({ key, phone } = await server.seedDemo());
});
afterAll(async () => {
	await server.stop();
});

/** Runs the node with an item. @returns what came to the phone, and the error */
async function run(parameters: INodeParameters, it: unknown) {
	const before = (await phone.inbox()).length;
	const credentials = { beckonApi: { baseUrl: server.baseUrl, apiKey: key } };
	const items = [{ it } as IDataObject];
	const { error } = await runBeckon(parameters, { items, credentials }).catch((cause: unknown) => ({
		error: cause as Error,
	}));
	return { arrived: (await phone.inbox()).slice(before), error };
}

const IT = '={{ $json.it }}';
const send = { resource: 'pushNotification', operation: 'send', title: 'T' };
const button = (more: object) => ({ title: 'Go', ...more });
const onPush = (more: object): INodeParameters => ({
	...send,
	actions: { button: [button(more)] },
});
const onCard = (more: object): INodeParameters => ({
	...{ resource: 'liveActivity', operation: 'upsert', streamKey: 'urls', sendTo: 'all' },
	...{ activityType: 'alert', title: 'T', message: 'M' },
	content: { action: { button: button(more) } },
});

/** The places of an address, each with what it may be. */
const PLACES: Record<string, INodeParameters> = {
	'what a tap opens': { ...send, options: { redirection: IT } },
	'what a button opens': onPush({ type: 'open_url', url: IT }),
	'what a button calls': onPush({ type: 'webhook', url: IT }),
	'what a button on a card opens': onCard({ type: 'open_url', url: IT }),
	'what a button on a card calls': onCard({ type: 'webhook', url: IT }),
	'its icon': { ...send, options: { icon: IT } },
};

describe('an item lets a phone run, open or load what no address may be', () => {
	test.each<[string, string]>([
		['a script', 'javascript:alert(1)'],
		['a script in other capitals', 'JaVaScRiPt:alert(1)'],
		['a script after a blank', ' javascript:alert(1)'],
		['a script with a tab in its name', 'java\tscript:alert(1)'],
		['a script with a line break in its name', 'java\nscript:alert(1)'],
		['a script after what nobody sees', '\u0001javascript:alert(1)'],
		['a script of another kind', 'vbscript:x'],
		['a page of its own', 'data:text/html,<script>evil()</script>'],
		['a file of the phone', 'file:///etc/passwd'],
		['a piece of memory', 'blob:https://example.com/a'],
		['the source of a page', 'view-source:https://example.com/'],
		['an intent', 'intent://evil#Intent;scheme=https;end'],
		['a provider of content', 'content://contacts'],
		['an empty page', 'about:blank'],
		['an address that looks like another', 'https://bank.example\u202E@evil.example'],
		['no address', 'example.com'],
		['half of an address', 'https://'],
	])('%s', async (_what, it) => {
		for (const place of Object.keys(PLACES)) {
			const { arrived, error } = await run(PLACES[place]!, it);
			expect([place, arrived, error === undefined]).toEqual([place, [], false]);
		}
	});

	test('but one that is none of these arrives', async () => {
		for (const place of Object.keys(PLACES)) {
			const { arrived, error } = await run(PLACES[place]!, 'https://example.com/a');
			expect([place, arrived.length, error]).toEqual([place, 1, undefined]);
		}
	});

	test.each(['http://example.com/icon.png', 'https://user:secret@example.com/icon.png'])(
		'an icon that is %s',
		async (it) => {
			const { arrived, error } = await run(PLACES['its icon']!, it);
			expect([arrived, error === undefined]).toEqual([[], false]);
		},
	);

	test.each(['http://example.com/', 'http://127.0.0.1/', 'shortcuts://run-shortcut?name=Unlock'])(
		'a call to %s',
		async (it) => {
			for (const place of ['what a button calls', 'what a button on a card calls']) {
				const { arrived, error } = await run(PLACES[place]!, it);
				expect([place, arrived, error === undefined]).toEqual([place, [], false]);
			}
		},
	);
});

describe('an item makes another kind of button', () => {
	const attempt = sendingToService();
	const trigger = { __rl: true, mode: 'key', value: IT };
	const TRIGGER = `trg_${'a'.repeat(43)}`;

	async function sent(parameters: INodeParameters, it: unknown) {
		const { requests, error } = await attempt(parameters, { it });
		return { bodies: requests.map(({ body }) => body as IDataObject), error };
	}

	test.each<[string, unknown]>([
		['that taps start again and again', `${TRIGGER}?every_tap=true`],
		['that calls something else', `${TRIGGER}/../../questions`],
		['that calls another host', `//evil.example/${TRIGGER}`],
		['of two workflows', [TRIGGER, TRIGGER]],
		['of an object', { value: TRIGGER }],
		['of none', undefined],
		['of half a line', `${TRIGGER}\r\n`],
	])('for a workflow %s', async (_what, it) => {
		const { bodies, error } = await sent(onPush({ type: 'start_workflow', trigger }), it);
		if (error === undefined) expect(JSON.stringify(bodies)).toMatch(/\/triggers\/trg_a{43}"/);
		else expect(bodies).toEqual([]);
	});

	test.each<[string, unknown]>([
		['a text', 'yes'],
		['a number', 1],
		['an object', { first: false }],
		['a list', [false]],
	])('that every tap starts, by %s', async (_what, it) => {
		const more = { type: 'start_workflow', trigger: { ...trigger, value: TRIGGER }, firstTap: IT };
		const { bodies } = await sent(onPush(more), it);
		expect(JSON.stringify(bodies)).not.toContain('every_tap');
	});

	test.each<[string, unknown]>([
		['in capitals', 'WEBHOOK'],
		['with a blank', ' webhook'],
		['that the service knows by itself', 'choice'],
		['that every object has', 'constructor'],
		['that is a list of one', ['webhook']],
		['that is nothing', undefined],
	])('by a kind %s', async (_what, it) => {
		const { bodies, error } = await sent(onPush({ type: IT, url: 'https://example.com/' }), it);
		expect([bodies, error === undefined]).toEqual([[], false]);
	});
});
