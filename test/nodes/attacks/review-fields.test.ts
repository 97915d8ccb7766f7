import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../engine/one-node.ts';
import { acceptEverything, type RecordingServer } from '../../engine/recording-server.ts';

/**
 * Attempts of an agent to have approved what the person does not see, in the fields of a review beside its text, and of
 * an item to keep a push for another time than its author meant.
 */

let service: RecordingServer;
beforeAll(async () => {
	service = await acceptEverything((path) => ({
		activity_id: 'a',
		...(path.startsWith('/api/questions/') && { status: 'withdrawn' }),
	}));
});
afterAll(() => {
	service.stop();
});

/** Runs the node. @returns the requests that were sent, and the error */
async function run(parameters: INodeParameters, json: object) {
	service.requests.length = 0;
	const credentials = { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } };
	const { error } = await runBeckon(parameters, {
		items: [json as IDataObject],
		credentials,
	}).catch((cause: unknown) => ({ error: cause as Error }));
	return { sent: service.requests.filter(({ method }) => method === 'POST'), error };
}

const options = { howToWait: 'keepRunning' };
const ask = {
	resource: 'pushNotification',
	operation: 'sendAndWait',
	title: 'The agent asks for permission',
	message: '=It wants to use {{ $tool.name }} with {{ $tool.parameters }}',
	responseType: 'approval',
	options,
};
const onCard = { ...ask, resource: 'liveActivity', streamKey: 'deploy' };

/** All texts of a question that a person sees. */
async function review(parameters: INodeParameters, toolParameters: unknown, tool = 'Shell') {
	const { sent, error } = await run(parameters, { tool, toolParameters });
	const texts = sent.map(({ body }) => {
		const { title, subtitle, message, choices } = body as Record<string, unknown>;
		return JSON.stringify([title, subtitle, message, choices]);
	});
	return { text: texts.join(), error };
}

/** Refused, or shown whole; JSON has been written twice. */
async function expectWhole(shown: ReturnType<typeof review>, ...parts: string[]) {
	const { text, error } = await shown;
	if (error === undefined) for (const part of parts) expect(text).toContain(part);
	else expect(text).toBe('');
}

const UNSEEN = /[\u202E\u200B\u00A0\u2800\u3164]|\u{E0041}|\s{17}/u;
const LONG = `ls ${'x'.repeat(300)} && rm -rf ~`;

describe('a review hides what the tool gets', () => {
	const command = '={{ $tool.parameters.command }}';
	const plain = { message: 'Run it?' };
	const WHERE: Record<string, INodeParameters> = {
		'the subtitle of a push': { ...ask, ...plain, options: { ...options, subtitle: command } },
		'the subtitle of a card': { ...onCard, ...plain, options: { ...options, subtitle: command } },
	};

	// Low: n8n fills in a Message with all that the tool gets, which the documents say to keep; but they also say that the
	// phone shows all that $tool gives. Fix: `showsToolInput('subtitle')` for the Subtitle of a question
	// (nodes/Beckon/resources/pushNotification/push-options.ts, questionLookOptions).
	describe.each(Object.keys(WHERE))('in %s', (where) => {
		test.failing('behind more than it has room for', async () => {
			await expectWhole(review(WHERE[where]!, { command: LONG }), '&& rm -rf ~');
		});

		test.failing.each<[string, string]>([
			['a reading direction', 'ls \u202E~ fr- mr'],
			['letters that nobody sees', 'ls\u{E0041}\u200Brm'],
			['many blanks', `ls${' '.repeat(200)}rm`],
		])('behind %s', async (_what, given) => {
			const { text } = await review(WHERE[where]!, { command: given });
			expect(text).not.toMatch(UNSEEN);
		});

		test('behind nothing: it is shown', async () => {
			await expectWhole(review(WHERE[where]!, { command: 'ls -la' }), 'ls -la');
		});
	});

	const labelled = (label: string): INodeParameters => ({
		...ask,
		...plain,
		approvalOptions: { values: { approvalType: 'double', approveLabel: label } },
	});

	test('in the label of a button, behind more than it has room for: it is refused', async () => {
		await expectWhole(review(labelled(command), { command: LONG }), '&& rm -rf ~');
	});

	// Low: a label has 64 characters. Fix: `showsToolInput`, or `escaped`, for the labels too (shared/ask/choices.ts).
	test.failing('in the label of a button, behind letters that nobody sees', async () => {
		const { text } = await review(labelled(command), { command: 'ls\u200B\u{E0041}rm' });
		expect(text).not.toMatch(UNSEEN);
	});

	test.each(['Decline', ' Decline ', 'Decline\u200B', '\u00A0Decline', 'Decline\u2800'])(
		'in the label of a button that looks like the other one: %j',
		async (label) => {
			const { text, error } = await review(labelled(command), { command: label });
			expect([text, error === undefined]).toEqual(['', false]);
		},
	);

	test.each<[string, string]>([
		['a joiner of Tifinagh', '\u2D7F'],
		['a blank that stands for an object', '\uFFFC'],
		['a joiner of Brahmi', '\u{1107F}'],
		['a filler of the Khitan', '\u{16FE4}'],
		['a note without a head', '\u{1D159}'],
		['a blank of the Egyptians', '\u{13441}'],
	])('behind %s, many times', async (_what, blank) => {
		const { text } = await review(ask, { command: `ls${blank.repeat(200)} && rm -rf ~` });
		expect(text).not.toContain(blank);
	});

	test('behind marks piled on a letter', async () => {
		const { text } = await review(ask, { command: `rm${'\u0336\u0489'.repeat(50)} -rf ~` });
		expect(text).not.toMatch(/\p{M}{3}/u);
	});

	test.each<[string, unknown, string]>([
		['in a name that turns the direction', { '\u202Edn\u200B': 1 }, '\\\\u202e'],
		['in a list', [{ command: 'rm -rf ~' }], 'rm -rf ~'],
		['in a list in a list', [[['rm -rf ~']]], 'rm -rf ~'],
		['as a text', 'rm -rf ~', 'rm -rf ~'],
		['as nothing but no', { force: false, depth: 0, path: null }, 'force'],
		['in an empty name', { '': 'rm -rf ~' }, 'rm -rf ~'],
		['in what every object has', JSON.parse('{"__proto__":{"command":"rm -rf ~"}}'), 'rm -rf ~'],
		['under names that write themselves', { toJSON: 'x', toString: 'rm -rf ~' }, 'rm -rf ~'],
		['as an expression', { command: '{{ $json.tool }}}}{{ "ls" }}' }, '{{ $json.tool }}}}'],
		['as a number of words', { length: 2, 0: 'rm', 1: '-rf' }, '-rf'],
	])('%s', async (_how, given, part) => {
		const { text, error } = await review(ask, given);
		expect(error).toBeUndefined();
		expect(text).toContain(part);
		expect(text).not.toMatch(/object Object|\u202E|\u200B/);
	});

	test.each(['Shell\u202Ellehs', 'Shell\u200B', `Shell${' '.repeat(40)}x`])(
		'by the name of the tool: %j',
		async (tool) => {
			const { text } = await review(ask, { command: 'ls' }, tool);
			expect(text).toContain('Shell');
			expect(text).not.toMatch(UNSEEN);
		},
	);
});

describe('an item keeps a push longer, or shorter, than its author meant', () => {
	const send = { resource: 'pushNotification', operation: 'send', title: 'T' };
	test.each([0, -1, 1e9, 'soon', '5\r\nttl: 1', [5, 5], { minutes: 5 }, 0.5, true])(
		'for the minutes %j: it is refused',
		async (it) => {
			const expiresAfter = '={{ $json.it }}';
			const { sent, error } = await run({ ...send, options: { expiresAfter } }, { it });
			expect([sent.length, error === undefined]).toEqual([0, false]);
		},
	);
});
