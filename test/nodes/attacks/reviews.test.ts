import { readFileSync } from 'node:fs';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sendingToService } from './support/sending.ts';

/**
 * Attempts of an agent to have approved what nobody has seen, and of expressions to reach, or to ask, more than meant.
 */

const PHONE = 'phone-5f0c1e0a6a534f0e9d0b6c6b';

const attempt = sendingToService();

/** Runs the node. @returns the bodies that were sent, and the error */
async function run(parameters: INodeParameters, json: unknown = {}) {
	const { requests, error } = await attempt(parameters, json);
	return { sent: requests.map(({ body }) => body as IDataObject), error };
}

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };
const ask = {
	...send,
	operation: 'sendAndWait',
	responseType: 'approval',
	options: { howToWait: 'keepRunning' },
};

/** The message of the published example, in which an agent asks for permission. */
function ofExample(): string {
	const text = readFileSync('examples/agent-asks-permission.json', 'utf8');
	const { nodes } = JSON.parse(text) as { nodes: Array<{ parameters: INodeParameters }> };
	const messages = nodes.map(({ parameters }) => parameters['message']);
	return messages.find((one) => typeof one === 'string') as string;
}

describe('a human review hides what the tool gets, whatever expression shows it', () => {
	const SHOWN: Record<string, () => INodeParameters> = {
		'the message of the example': () => ({ message: ofExample() }),
		'its JSON': () => ({ message: '=Run {{ JSON.stringify($tool.parameters) }}?' }),
		'its JSON in lines': () => ({ message: '={{ JSON.stringify($tool.parameters, null, 2) }}' }),
		'its JSON, with another quote': () => ({
			message: '={{ $tool["parameters"].toJsonString() }}',
		}),
		'one of its fields': () => ({ message: '=Run {{ $tool.parameters.command }} now?' }),
		'one field twice, over lines': () => ({
			message: '={{\n$tool.parameters.command\n}} or {{ $tool.parameters.command }}',
		}),
		'a title': () => ({ title: '=Run {{ $tool.parameters.command }}?' }),
		'a title of its JSON': () => ({ title: '={{ JSON.stringify($tool.parameters) }}' }),
	};
	const review = async (how: string, command: string) => {
		const toolParameters = { command };
		const parameters = { ...ask, ...SHOWN[how]!() } as INodeParameters;
		const { sent, error } = await run(parameters, { tool: 'Shell', toolParameters });
		const text = sent
			.map((body) => `${body['title'] as string}\n${body['message'] as string}`)
			.join();
		return { text, error };
	};

	describe.each(Object.keys(SHOWN))('as %s', (how) => {
		test('behind more than is shown: it is refused, not cut', async () => {
			const { text, error } = await review(how, `ls ${'x'.repeat(16_000)} && rm -rf ~`);
			expect([text, error === undefined]).toEqual(['', false]);
		});

		test.each<[string, string]>([
			['a reading direction', 'ls \u202E~ fr- mr'],
			['letters that nobody sees', 'ls\u{E0041}\u200B'],
			['blanks of another kind', 'ls\u3164\u00A0\u2800rm'],
			['many blanks', `ls${' '.repeat(20)}rm`],
			['many lines', `ls${'\n'.repeat(20)}rm`],
			['many lines of a blank', `ls${'\n '.repeat(10)}rm`],
		])('behind %s', async (_what, command) => {
			const { text, error } = await review(how, command);
			expect(error).toBeUndefined();
			expect(text).toContain('ls');
			expect(text).not.toMatch(/[\u202E\u200B\u3164\u00A0\u2800]|\u{E0041}|\s{17}/u);
		});

		test('behind nothing: what is shown is what it gets', async () => {
			const { text } = await review(how, 'ls {{ 1 + 1 }} ={{ 2 }} Zoë 🔧 $& $1');
			expect(text).toContain('ls {{ 1 + 1 }} ={{ 2 }} Zoë 🔧 $& $1');
		});
	});
});

/** Expressions whose value is none, or of no kind that names channels. */
const NOTHING = [
	'{{ [[]] }}',
	'{{ [[], []] }}',
	'{{ [,] }}',
	'{{ [, , undefined] }}',
	'{{ {} }}',
	'{{ [{}] }}',
	'{{ NaN }}',
	'{{ [NaN, null] }}',
	'{{ new Set() }}',
	'{{ new Map([["ops", "ops"]]) }}',
	'{{ Object.create(null) }}',
	'{{ " , \\n , " }}',
	'{{ "[ , ]" }}',
	'{{ "[[]]" }}',
	'{{ "{}" }}',
	'{{ ["[]"] }}',
	'{{ Symbol.iterator }}',
	'{{ (() => "ops") }}',
	'{{ [() => "ops"] }}',
	'{{ $json }}',
	'{{ $json.a.b.c }}',
	'{{ $json["__proto__"] }}',
	'{{ $json.constructor }}',
	'{{ $input.all() }}',
	'{{ [].join(",") }}',
	'{{ [null].toString() }}',
	'{{ $now }}',
	'{{ -0 }}, {{ "" }},',
];

const OPERATIONS: Record<string, INodeParameters> = {
	'a push': send,
	'a push that repeats': {
		...send,
		options: { repeat: { values: { everyMinutes: 5, times: 3 } } },
	},
	'a question': ask,
	'a question on a Live Activity': { ...ask, resource: 'liveActivity', streamKey: 'deploy' },
	'a badge': { resource: 'badge', operation: 'set', badge: 1 },
};

/** All that a body names as recipients. */
function namedIn(body: IDataObject): unknown {
	const { channels, target, push } = body as Record<string, IDataObject | undefined>;
	return channels ?? target?.['channels'] ?? (push && namedIn(push));
}

/** A value that is no channel's is refused here, or by the service: it is never left out. */
const isWhole = (named: unknown) =>
	Array.isArray(named) && named.length > 0 && named.every((one) => typeof one === 'string' && one);

describe.each(Object.keys(OPERATIONS))('%s reaches everybody', (what) => {
	test('by a channel, or a phone: only these', async () => {
		const phone = { __rl: true, mode: 'id', value: `={{ "${PHONE}" }}` };
		for (const [more, named] of [
			[{ sendTo: 'channels', channels: '={{ [["ops"][0], , "sales"] }}' }, ['ops', 'sales']],
			[{ sendTo: 'phone', phone }, [PHONE]],
		] as Array<[INodeParameters, string[]]>) {
			const { sent, error } = await run({ ...OPERATIONS[what], ...more });
			expect([sent.map(namedIn), error]).toEqual([[named], undefined]);
		}
	});

	test.each(NOTHING)('by channels that are %s', async (expression) => {
		const more = { sendTo: 'channels', channels: `=${expression}` };
		const { sent, error } = await run({ ...OPERATIONS[what], ...more });
		for (const body of sent) expect([body, isWhole(namedIn(body))]).toEqual([body, true]);
		expect(sent.length > 0).toBe(error === undefined);
	});

	test.each(NOTHING)('by a phone that is %s', async (expression) => {
		for (const phone of [
			{ __rl: true, mode: 'id', value: `=${expression}` },
			{ __rl: true, mode: 'list', value: `=${expression}`, cachedResultName: PHONE },
			`=${expression}`,
		]) {
			const more = { sendTo: 'phone', phone } as INodeParameters;
			const { sent, error } = await run({ ...OPERATIONS[what], ...more });
			expect([sent, error === undefined]).toEqual([[], false]);
		}
	});
});

describe('everybody is asked, or may answer', () => {
	test('by those who are named: only these', async () => {
		const escalate = { values: { afterMinutes: 5, channels: '={{ ["ops"] }}' } };
		const options = { ...ask.options, escalate, answerableBy: '={{ ["Boss"] }}' };
		const { sent } = await run({ ...ask, options });
		expect(sent).toMatchObject([
			{ answerable_by: ['Boss'], escalate: { target: { channels: ['ops'] } } },
		]);
	});

	test.each(NOTHING)('by responders that are %s', async (expression) => {
		const options = { ...ask.options, answerableBy: `=${expression}` };
		const { sent, error } = await run({ ...ask, options });
		// The service refuses an empty list, and names that nobody has.
		for (const body of sent) expect(body['answerable_by']).toBeInstanceOf(Array);
		expect(sent.length > 0).toBe(error === undefined);
	});

	test.each(NOTHING)('by an escalation to channels that are %s', async (expression) => {
		const escalate = { values: { afterMinutes: 5, channels: `=${expression}` } };
		const { sent, error } = await run({ ...ask, options: { ...ask.options, escalate } });
		for (const { escalate: sentOne } of sent)
			expect(isWhole(namedIn(sentOne as IDataObject))).toBe(true);
		expect(sent.length > 0).toBe(error === undefined);
	});
});

describe('a button starts more than its author meant', () => {
	const TRIGGER = `trg_${'a'.repeat(43)}`;
	test.each<[string, INodeParameters]>([
		['an empty workflow', { trigger: '' }],
		['a picker of nothing', { trigger: { __rl: true, mode: 'list', value: '' } }],
		['an expression of nothing', { trigger: { __rl: true, mode: 'id', value: '={{ [[]] }}' } }],
		['one with a query', { trigger: `${TRIGGER}?every_tap=true` }],
		['one with a path', { trigger: `${TRIGGER}/done` }],
		['one of two lines', { trigger: `${TRIGGER}\n${TRIGGER}` }],
		['a mark that is no flag', { trigger: TRIGGER, firstTap: '={{ "no" }}' }],
		['data that is none', { trigger: TRIGGER, data: '={{ [1] }}' }],
	])('by %s', async (_what, more) => {
		const button = [{ title: 'Go', type: 'start_workflow', ...more }];
		const { sent, error } = await run({ ...send, actions: { button } });
		expect([sent, error === undefined]).toEqual([[], false]);
	});

	test.each(['NaN', '[[]]', '{}', '[true]', '"yes"', '2'])(
		'by a mark that is %s: it is refused, or the first tap closes it',
		async (mark) => {
			const button = [
				{ title: 'Go', type: 'start_workflow', trigger: TRIGGER, firstTap: `={{ ${mark} }}` },
			];
			const { sent } = await run({ ...send, actions: { button } });
			expect(JSON.stringify(sent)).not.toContain('every_tap');
		},
	);
});
