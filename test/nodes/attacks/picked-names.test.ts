import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { OpenNode } from '../../engine/editor-lists.ts';
import { runBeckon } from '../../engine/one-node.ts';
import { RecordingServer } from '../../engine/recording-server.ts';
import { toNode } from '../../../server/web/console/playground/copies.ts';
import { REQUESTS } from '../../../server/web/console/playground/requests.ts';

/**
 * Attempts by what others have named, and the author of a workflow picks from a list in the editor: names of people, channels,
 * phones, metrics, streams and triggers. n8n runs a parameter that begins with an equals sign, also within a list: what
 * others have written is given to it as a constant.
 */

/** What the service lists, by the name of the list. */
let listed: Record<string, object[]> = {};
let service: RecordingServer;
beforeAll(async () => {
	service = await RecordingServer.start({
		body: () => ({ success: true, question_id: 'his_1', next: null, ...listed }),
	});
});
afterAll(() => {
	service.stop();
});
beforeEach(() => {
	listed = {};
	service.requests.length = 0;
});

const SECRET = 's3cret-of-the-workflow';
const credentials = () => ({ beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } });
const ask: INodeParameters = {
	...{ resource: 'pushNotification', operation: 'sendAndWait', title: 'T' },
	...{ responseType: 'approval', approvalOptions: {} },
};

/** Runs the node. @returns the bodies that were sent */
async function run(parameters: object, item: IDataObject = { token: SECRET }) {
	service.requests.length = 0;
	await runBeckon(parameters as INodeParameters, {
		items: [item],
		credentials: credentials(),
	}).catch(() => undefined);
	return service.requests.filter(({ method }) => method !== 'GET');
}

/** Asks with everybody who is offered, as the author picks them. @returns the names, and what was sent */
async function pickAll(people: string[]) {
	listed = { people: people.map((name) => ({ name })) };
	const offered = await new OpenNode(ask, credentials()).options('getPeople');
	const answerableBy = offered.map(({ value }) => value);
	return run({ ...ask, options: { howToWait: 'keepRunning', answerableBy } });
}

describe('a colleague’s name is run by who picks it as the one who may answer', () => {
	test.each([
		'={{ $json.token }}',
		'=Max {{ $json.token }}',
		'=}}{{ $json.token }}',
		'=\\"}} {{ \\',
	])('and tells what the workflow has: %j', async (name) => {
		const sent = await pickAll([name]);
		expect(JSON.stringify(sent)).not.toContain(SECRET);
		for (const { body } of sent) expect(body).toMatchObject({ answerable_by: [name] });
	});

	test('and is that of another then', async () => {
		for (const { body } of await pickAll(['=Ada']))
			expect(body).toMatchObject({ answerable_by: ['=Ada'] });
	});

	test.each([
		'={{ $env.PATH }}',
		'={{ ["Ada", "Bob"] }}',
		'={{ undefined }}',
		'={{ "" }}',
		'={{',
		'=',
	])('and lets others answer, or everybody: %j', async (name) => {
		for (const { body } of await pickAll([name])) {
			const { answerable_by: people } = body as { answerable_by?: string[] };
			// The service refuses an empty list, and a name that nobody has.
			expect(people).toBeInstanceOf(Array);
			const others = people?.filter((one) => ['Ada', 'Bob'].includes(one) || one.includes('/bin'));
			expect(others).toEqual([]);
		}
	});

	test.each([
		'Max {{ $json.token }}',
		'{{ $json.token }}',
		'“={{ $json.token }}”',
		'Lee, Ada',
		'["Ada"]',
		'[Ada]',
	])('but it is a name, if it is %j', async (name) => {
		listed = { people: [{ name }] };
		const offered = await new OpenNode(ask, credentials()).options('getPeople');
		const answerableBy = offered.map(({ value }) => value);
		const [asked, ...more] = await run({
			...ask,
			options: { howToWait: 'keepRunning', answerableBy },
		});
		expect(more).toEqual([]);
		expect(asked?.body).toMatchObject({ answerable_by: [name] });
	});
});

describe('the words of a key are run by who copies its push from the history as a node', () => {
	/** What the copied node sends. */
	async function copied(body: object, name = 'push') {
		const form = REQUESTS.find((one) => one.name === name)!;
		const text = toNode(form, 'deploy', body as Record<string, unknown>);
		const { parameters } = JSON.parse(text!).nodes[0];
		return run({ ...parameters, options: { ...parameters.options, howToWait: 'keepRunning' } });
	}
	const WORDS = '={{ $json.token }}';
	const state = { type: 'alert', title: 'T', message: 'M' };
	const button = { title: WORDS, type: 'open_url', url: 'https://example.com' };
	const PLACES: Record<string, [name: string, body: object]> = {
		'the title': ['push', { title: WORDS }],
		'the message': ['push', { title: 'T', message: WORDS }],
		'the subtitle': ['push', { title: 'T', subtitle: WORDS }],
		'a button': ['push', { title: 'T', actions: [button] }],
		'the title of a card': ['stream', { content_state: { ...state, title: WORDS } }],
		'the badge of a card': ['stream', { content_state: { ...state, badge: { title: WORDS } } }],
	};

	test.each(Object.keys(PLACES))('as %s', async (place) => {
		const [name, body] = PLACES[place]!;
		const sent = JSON.stringify(await copied(body, name));
		expect(sent).not.toContain(SECRET);
		expect(sent).toContain(WORDS);
	});

	test.each([
		'=1+1',
		'=$json.token',
		'{{ $json.token }}',
		'T ={{ $json.token }}',
		' ={{ $json.token }}',
	])('but they are words, as %j', async (title) => {
		const [sent] = await copied({ title });
		expect((sent?.body as { title: string }).title.trim()).toBe(title.trim());
	});

	test.each(['$(rm -rf ~)', "';rm -rf ~;'", '`rm`', '\\'])(
		'nor as a command: %j',
		async (title) => {
			const { toCurl } = await import('../../../server/web/console/playground/copies.ts');
			const { execFileSync } = await import('node:child_process');
			const form = REQUESTS.find((one) => one.name === 'push')!;
			const command = toCurl(form, '', { title }, 'https://example.com/api');
			// The shell gives its words to another program.
			const words = execFileSync('/bin/sh', ['-c', command.replace(/^curl/, 'printf "%s\\0"')]);
			expect(JSON.parse(words.toString().split('\0').at(-2)!)).toEqual({ title });
		},
	);
});
