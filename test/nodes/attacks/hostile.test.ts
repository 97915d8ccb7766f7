import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { agentWith } from '../../engine/agent.ts';
import { runBeckon } from '../../engine/one-node.ts';
import { acceptEverything, type RecordingServer } from '../../engine/recording-server.ts';

/** Attempts with hostile data, or a hostile model, in the limits, objects, ids and names that a node takes. */

const PHONE = 'phone-5f0c1e0a6a534f0e9d0b6c6b';

/** What the service says about the end of a question. */
let ended: object = { status: 'withdrawn' };
let service: RecordingServer;
beforeAll(async () => {
	service = await acceptEverything((path) => ({
		activity_id: 'a',
		...(path.startsWith('/api/questions/') && ended),
	}));
});
afterEach(() => {
	ended = { status: 'withdrawn' };
});
afterAll(() => {
	service.stop();
});

const credentials = () => ({ beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } });

/** Runs the node. @returns what was sent, and the output or the error */
async function run(parameters: INodeParameters, json: unknown = {}) {
	service.requests.length = 0;
	const done = await runBeckon(parameters, {
		items: [json as IDataObject],
		credentials: credentials(),
	}).catch((error: unknown) => ({ error: error as Error, itemsOf: () => [] }));
	const sent = service.requests.filter(({ method }) => method !== 'GET');
	return {
		paths: service.requests.map(({ method, path }) => `${method} ${path}`),
		sent: sent.map(({ body }) => body as IDataObject),
		error: done.error,
		items: done.itemsOf('Beckon'),
	};
}

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };
const ask = {
	...send,
	operation: 'sendAndWait',
	responseType: 'approval',
	options: { howToWait: 'keepRunning' },
};
const asking = (options: IDataObject) =>
	({ ...ask, options: { ...ask.options, ...options } }) as INodeParameters;

describe('a question stays open longer, or is asked more often, than its author meant', () => {
	test.each<[string, unknown]>([
		['nothing', undefined],
		['an empty text', ''],
		['nothing that is a number', 'soon'],
		['a negative time', -5],
		['no time', 0],
		['a very long time', 1e9],
		['an endless one', 'Infinity'],
		['a list', [5, 5]],
		['an object', { minutes: 5 }],
		['a number with a unit', '5 days'],
	])('by a limit of its wait that is %s', async (_what, it) => {
		const values = {
			limitType: 'afterTimeInterval',
			resumeAmount: '={{ $json.it }}',
			resumeUnit: 'minutes',
		};
		const { sent, error } = await run(asking({ limitWaitTime: { values } }), { it });
		expect([sent, error === undefined]).toEqual([[], false]);
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['another unit', 'weeks'],
		['what every object has', 'constructor'],
		['another case', 'Minutes'],
	])('by the unit of its wait: %s', async (_what, it) => {
		const values = {
			limitType: 'afterTimeInterval',
			resumeAmount: 5,
			resumeUnit: '={{ $json.it }}',
		};
		const { sent, error } = await run(asking({ limitWaitTime: { values } }), { it });
		expect([sent, error === undefined]).toEqual([[], false]);
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['a word', 'never'],
		['a list of two', ['2026-01-01', '2027-01-01']],
		['an object', {}],
		['a date that is none', '2026-02-31T25:00:00Z'],
	])('by a time at which it ends that is %s', async (_what, it) => {
		const values = { limitType: 'atSpecifiedTime', maxDateAndTime: '={{ $json.it }}' };
		const { sent, error } = await run(asking({ limitWaitTime: { values } }), { it });
		expect([sent, error === undefined]).toEqual([[], false]);
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['a fraction', 1.5],
		['very often', 1e6],
		['a negative number', -1],
		['a list', [1]],
	])('by reminders that come %s', async (_what, it) => {
		for (const values of [
			{ everyMinutes: '={{ $json.it }}', times: 3 },
			{ everyMinutes: 5, times: '={{ $json.it }}' },
		]) {
			const { sent, error } = await run(asking({ remind: { values } }), { it });
			// A list of one number is that number, in every field of n8n.
			for (const { remind } of sent) expect(remind).toMatchObject({ times: expect.any(Number) });
			if (!Array.isArray(it)) expect([sent, error === undefined]).toEqual([[], false]);
		}
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['a word', 'soon'],
		['no time', 0],
	])('by an escalation after %s', async (_what, it) => {
		const values = { afterMinutes: '={{ $json.it }}', channels: ['ops'] };
		const { sent, error } = await run(asking({ escalate: { values } }), { it });
		expect([sent, error === undefined]).toEqual([[], false]);
	});
});

describe('an object in the data replaces what the author has set', () => {
	const HOSTILE = [
		'{"__proto__": {"target": {"channels": ["all"]}, "channels": ["all"]}}',
		'{"constructor": {"prototype": {"target": {"channels": ["all"]}}}}',
		'{"target": {"channels": ["all"]}, "title": "X"}',
		'{"toJSON": "x", "toString": "x", "valueOf": 1}',
	];
	const PLACES: Record<string, (it: string) => INodeParameters> = {
		metadata: (it) => ({ options: { metadata: it } }),
		payload: (it) => ({ options: { payload: it } }),
		'the body of a button': (it) => ({
			actions: {
				button: [
					{ title: 'Go', type: 'webhook', url: 'https://a.example/', method: 'POST', body: it },
				],
			},
		}),
	};

	test.each(Object.keys(PLACES).flatMap((place) => HOSTILE.map((it) => [place, it] as const)))(
		'as %s: %s',
		async (place, it) => {
			const more = PLACES[place]?.('={{ $json.it }}');
			const given = { ...send, ...more, sendTo: 'channels', channels: ['ops'] };
			const { sent } = await run(given, { it });
			for (const body of sent)
				expect([body['target'], body['title']]).toEqual([{ channels: ['ops'] }, 'T']);
			// Nor that of the next message.
			const next = await run({ ...send, sendTo: 'channels', channels: ['ops'] });
			expect(next.sent).toEqual([expect.objectContaining({ target: { channels: ['ops'] } })]);
			expect(({} as IDataObject)['target']).toBeUndefined();
		},
	);
});

describe('an id of the data leads to another call', () => {
	const IDS = ['../channels', 'q/answer', 'q?wait=1', 'q#', '%2e%2e', '..', '', ' ', 'q\nx', '*'];

	test.each(IDS)('of a question: %j', async (it) => {
		for (const operation of ['get', 'withdraw']) {
			const questionId = { __rl: true, mode: 'key', value: '={{ $json.it }}' };
			const { paths, error } = await run({ resource: 'question', operation, questionId }, { it });
			expect([paths, error === undefined]).toEqual([[], false]);
		}
	});

	test.each(IDS)('of a repeat: %j', async (it) => {
		const { paths, error } = await run(
			{ resource: 'pushNotification', operation: 'stopRepeating', repeatId: '={{ $json.it }}' },
			{ it },
		);
		expect([paths, error === undefined]).toEqual([[], false]);
	});

	test.each<[string, unknown]>([
		['a list of two', ['a', 'b']],
		['an object', { id: 'a' }],
		['nothing', undefined],
		['an empty text', ''],
	])('of a Live Activity that is %s', async (_what, it) => {
		for (const operation of ['update', 'end']) {
			const { sent, error } = await run(
				{
					resource: 'liveActivityManual',
					operation,
					activityId: '={{ $json.it }}',
					activityType: 'alert',
					title: 'T',
					message: 'M',
				},
				{ it },
			);
			expect([sent, error === undefined]).toEqual([[], false]);
		}
	});
});

describe('data is run, or read, as an expression', () => {
	const WORDS = [
		'{{ 6 * 7 }}',
		'={{ 6 * 7 }}',
		'{{ $credentials }}',
		'{{ $env.HOME }}',
		'${6 * 7}',
		'{{ $node["Beckon"].context }}',
	];

	test.each(WORDS)('as the title and the message of a question: %j', async (it) => {
		const words = { title: '={{ $json.it }}', message: '=Say {{ $json.it }}' };
		const { sent } = await run({ ...ask, ...words }, { it });
		expect(sent).toMatchObject([{ title: it, message: `Say ${it}` }]);
	});

	test.each(WORDS)('as what a tool gets: %j', async (command) => {
		const message = '=Run {{ $tool.parameters.command }} for {{ $json.tool }}';
		const { sent } = await run({ ...ask, message }, { tool: 'Shell', toolParameters: { command } });
		expect(sent).toMatchObject([{ message: `Run ${command} for Shell` }]);
	});
});

describe('an answer of the service is taken for another', () => {
	test.each<[string, object]>([
		['a status alone', { status: 'answered' }],
		['a choice without an answer', { status: 'answered', choice: 'approve' }],
		['a choice of what every object has', { status: 'answered', answer: { choice: 'toString' } }],
		['a list of choices', { status: 'answered', answer: { choice: ['approve'] } }],
		['a list of answers', { status: 'answered', answer: [{ choice: 'approve' }] }],
		['a text', { status: 'answered', answer: { text: 'approve' } }],
		['fields', { status: 'answered', answer: { fields: { approved: true, status: 'answered' } } }],
		['a withdrawal', { status: 'withdrawn', answer: null, approved: true }],
	])('%s is no approval', async (_what, state) => {
		ended = state;
		const { items } = await run(ask);
		for (const { json } of items) {
			const { approved, responder } = json['data'] as IDataObject;
			expect([approved, responder]).toEqual([false, null]);
		}
	});

	test('a person’s decline, whose label says otherwise, is none either', async () => {
		ended = {
			status: 'answered',
			answer: { choice: 'decline', by: { user: 'Boss', device: null }, at: '2026-01-01T00:00:00Z' },
		};
		const values = { approveLabel: 'Wait', disapproveLabel: 'Approve' };
		const { items } = await run({ ...ask, approvalOptions: { values } });
		expect(items[0]?.json['data']).toMatchObject({ approved: false, responder: { name: 'Boss' } });
	});
});

describe('an agent’s model chooses who is reached', () => {
	/** An agent calls the node with words of its own. @returns the targets that were sent */
	async function reachedBy(parameters: INodeParameters, words: Record<string, string>) {
		service.requests.length = 0;
		const agent = await agentWith(parameters, credentials());
		await agent(words).catch(() => undefined);
		return service.requests.map(({ body }) => (body as IDataObject)['target']);
	}

	test.each(['ALL', 'channels', 'phone', '', '["all"]'])(
		'by the word %j for Send To',
		async (to) => {
			const sendTo = '={{ $fromAI("to", "", "string") }}';
			const targets = await reachedBy({ ...send, sendTo, channels: ['ops'] }, { to });
			// Nobody, or whom the author has named.
			for (const target of targets) expect(target).toEqual({ channels: ['ops'] });
			expect(targets.length).toBe(to === 'channels' ? 1 : 0);
		},
	);

	test.each(['ops', 'all', 'phone-', `${PHONE},ops`, `["${PHONE}"]`, `${PHONE} `, PHONE])(
		'by the word %j for its phone',
		async (phone) => {
			const value = '={{ $fromAI("phone", "", "string") }}';
			const given = { ...send, sendTo: 'phone', phone: { __rl: true, mode: 'key', value } };
			for (const target of await reachedBy(given, { phone }))
				expect(target).toEqual({ channels: [PHONE] });
		},
	);

	test.each(['title', 'message'])('by its %s, which is words and no setting', async (name) => {
		const words = '","target":{"channels":["all"]},"x":"';
		const text = `={{ $fromAI("${name}", "", "string") }}`;
		const given = { ...send, [name]: text, sendTo: 'channels', channels: ['ops'] };
		const targets = await reachedBy(given, { [name]: words });
		expect(targets).toEqual([{ channels: ['ops'] }]);
	});
});
