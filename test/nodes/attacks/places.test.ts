import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sendingToService } from './support/sending.ts';

/**
 * Attempts by the places of values: a key that is a part of an address, the input of a tool between the texts of a review, and
 * words in fields that are none, such as the name that a push replaces or the answer that a deadline gives.
 */

const attempt = sendingToService();

/** Runs the node. @returns what was sent, and the error */
async function run(parameters: INodeParameters, json: unknown = {}) {
	const { requests: sent, error } = await attempt(parameters, json);
	return { sent, error };
}

describe('an item calls something else by its key', () => {
	const key = '={{ $json.it }}';
	const content = { activityType: 'alert', title: 'T', message: 'M' };
	const onStream = { resource: 'liveActivity', ...content, sendTo: 'all' };

	/** Operations with a key in their address. */
	const OPERATIONS: Record<string, INodeParameters> = {
		'updates a stream': { ...onStream, operation: 'upsert', streamKey: key },
		'ends a stream': { ...onStream, operation: 'end', streamKey: key },
		'sets a metric': { resource: 'metric', operation: 'setValue', key, value: '1' },
	};

	const KEYS: Array<[string, unknown]> = [
		['another path', '../../push-notification'],
		['dots', '..'],
		['an escaped slash', 'a%2f..%2f..%2fbadge'],
		['a query', 'a?channels=all'],
		['a fragment', 'a#'],
		['another host', '//evil.example.com'],
		['a line of a header', 'a\r\nx-sequence-id: b'],
		['a place of the node', '{key}'],
		['a pattern of a replacement', "$&$'"],
		['what nobody sees', 'a\u200B'],
		['two', ['a', 'b']],
		['an object', { key: 'a' }],
		['a truth', { toString: 'a' }],
		['nothing', undefined],
	];

	describe.each(Object.keys(OPERATIONS))('that %s', (what) => {
		test.each(KEYS)('which is %s', async (_what, it) => {
			const { sent, error } = await run(OPERATIONS[what]!, { it });
			expect([sent, error === undefined]).toEqual([[], false]);
		});

		test('which is one', async () => {
			const { sent } = await run(OPERATIONS[what]!, { it: 'a' });
			expect(sent.map(({ path }) => path.split('/').includes('a'))).toEqual([true]);
		});
	});
});

describe('a review shows something else than the tool gets', () => {
	const options = { howToWait: 'keepRunning' };
	const push = {
		resource: 'pushNotification',
		operation: 'sendAndWait',
		title: 'May it?',
		responseType: 'approval',
		options,
	};

	/** The two kinds of a review. */
	const KINDS: Record<string, INodeParameters> = {
		'a push': push,
		'a card': { ...push, resource: 'liveActivity', streamKey: 'deploy' },
	};

	const COMMAND = '{{ $tool.parameters.command }}';

	/** @returns the message of the review; undefined: it was not sent */
	async function shown(kind: string, message: string, command: unknown, more: object = {}) {
		const toolParameters = { command, ...more };
		const { sent, error } = await run(
			{ ...KINDS[kind]!, message },
			{ tool: 'Shell', toolParameters },
		);
		const [asked] = sent.filter(({ path }) => path.endsWith('/questions'));
		expect(asked === undefined).toBe(error !== undefined && sent.length === 0);
		return (asked?.body as IDataObject | undefined)?.['message'];
	}

	describe.each(Object.keys(KINDS))('on %s', (kind) => {
		test.each<[string, string, string]>([
			['halves of characters', 'ls\uD800rm\uDC00', 'ls\\ud800rm\\udc00'],
			[
				'lines of other kinds',
				'ls\u2028a\u2029b\u0085c\v\f\rd',
				'ls\\u2028a\\u2029b\\u0085c\\u000b\\u000c\\u000dd',
			],
			['tabs', '\t\tls\trm', '\\u0009\\u0009ls\\u0009rm'],
			[
				'an expression, which is none',
				'ls {{ $tool.name }} ={{ 6 * 7 }}',
				'ls {{ $tool.name }} ={{ 6 * 7 }}',
			],
			['a backslash, and what would be an escape', 'ls \\u202e', 'ls \\u202e'],
			['patterns of a replacement', "$& $' $1 $$", "$& $' $1 $$"],
			['what opens an expression', 'ls {{', 'ls {{'],
			['what closes an expression', 'ls }} rm', 'ls }} rm'],
		])('with %s', async (_what, command, expected) => {
			expect(await shown(kind, `=It runs ${COMMAND}.`, command)).toBe(`It runs ${expected}.`);
		});

		test.each<[string, string]>([
			['within objects', '{{ JSON.stringify({ a: { b: $tool.parameters.command } }) }}'],
			['within objects, whose braces end together', '{{ ({a:{b:$tool.parameters.command}}).a.b }}'],
			['within a template', '{{ `${$tool.parameters.command}` }}'],
			['by a name', '{{ $tool["parameters"]["command"] }}'],
			['over lines', '{{\n$tool\n.parameters\n.command\n}}'],
			['beside another expression', '{{ "}}" }}{{ $tool.parameters.command }}'],
			['behind a comment', '{{ /* }} */ $tool.parameters.command }}'],
			['as all parameters', '{{ $tool.parameters }}'],
		])('%s: all of it can be seen, or nobody is asked', async (_how, expression) => {
			const message = await shown(kind, `=${expression}`, 'ls\u202E\u3164rm');
			if (message !== undefined) {
				expect(message).toContain('rm');
				expect(message).not.toMatch(/[\u202E\u3164]/);
			}
		});

		test('with a mark at the beginning of a line', async () => {
			const message = await shown(kind, `=${COMMAND}`, 'ls\n\u0338rm');
			expect(message).toBe('ls\n\\u0338rm');
		});

		// Low: an author has to write it; n8n fills in $tool, and the documents say so. Where the input is dragged from, it is $json.
		// Fix: ask/review-message.ts, TOOL_INPUT: also \$json\.toolParameters\b, or escape every expression of a review.
		test.failing('by the item in which n8n passes it on', async () => {
			const message = await shown(kind, '={{ $json.toolParameters.command }}', 'ls\u202Erm');
			expect(message).not.toContain('\u202E');
		});
	});
});

const push = { resource: 'pushNotification', operation: 'send', title: 'T' };
const question = { ...push, operation: 'sendAndWait', responseType: 'approval' };
const waits = { howToWait: 'keepRunning' };

/** Runs the node, which sends something or refuses: never both, and never neither. @returns the bodies that were sent */
async function runOnce(parameters: INodeParameters, json: unknown) {
	const { sent, error } = await run(parameters, json);
	expect(sent.length > 0).toBe(error === undefined);
	return { sent: sent.map(({ body }) => ({ body: body as IDataObject })) };
}

describe('a push replaces others that its author did not name', () => {
	test.each<[string, unknown]>([
		['a line of another header', 'deploy\r\nttl: 1'],
		['a line feed alone', 'deploy\nx-sequence-id: other'],
		['what ends a text in C', 'deploy\0other'],
		['letters that a header has not', 'dépl😀y'],
		['two names', ['deploy', 'other']],
		['an object', { toString: 'deploy' }],
		['a very long one', 'd'.repeat(10_000)],
		['a path', '../other'],
	])('by a name that is %s: it is refused', async (_what, it) => {
		const { sent } = await runOnce({ ...push, options: { replaces: '={{ $json.it }}' } }, { it });
		expect(sent).toEqual([]);
	});
});

describe('a number is another than the item has', () => {
	test.each<[string, unknown, unknown]>([
		['hexadecimal', '0x10', 16],
		['in a list', [5], undefined],
		['a truth', true, undefined],
		['in words', '5 apples', undefined],
		['with a comma', '1,5', undefined],
		['endless', '1e999', undefined],
		['an object', { valueOf: 5 }, undefined],
	])('on the icon, by one that is %s', async (_what, it, meant) => {
		const { sent } = await runOnce(
			{ resource: 'badge', operation: 'set', badge: '={{ $json.it }}', sendTo: 'all' },
			{ it },
		);
		for (const { body } of sent) expect(body['badge']).toBe(meant);
	});
});

describe('the deadline answers otherwise than its author meant', () => {
	const asking = (defaultAnswer: string, more: object = {}) =>
		({ ...question, options: { ...waits, defaultAnswer, ...more } }) as INodeParameters;

	test.each<[string, unknown]>([
		['the id of a button', 'approve'],
		['a label in capitals', 'DECLINE'],
		['a label with more', 'Decline.'],
		['a label with what nobody sees', 'Decline\u200B'],
		['a list of labels', ['Approve', 'Decline']],
		['a number', 0],
		['nothing', undefined],
		['what every object has', 'constructor'],
	])('by an item that gives %s: it is refused', async (_what, it) => {
		const { sent } = await runOnce(asking('={{ $json.it }}'), { it });
		expect(sent).toEqual([]);
	});

	test('by buttons that an item names like the answer', async () => {
		const approvalOptions = {
			values: {
				approvalType: 'double',
				approveLabel: '={{ $json.it }}',
				disapproveLabel: 'Decline',
			},
		};
		for (const it of ['Decline', 'Decline ', ' Decline\u200B', '\u2800Decline']) {
			const { sent } = await runOnce({ ...asking('Decline'), approvalOptions }, { it });
			expect(sent).toEqual([]);
		}
	});
});

describe('more is approved than is shown', () => {
	const LONG = `Delete ${'a'.repeat(20_000)} and everything else`;

	test.each<[string, INodeParameters]>([
		['a push', question],
		['a card', { ...question, resource: 'liveActivity', streamKey: 'deploy' }],
	])(
		'since the words of %s are too long: they are refused, or end in a sign',
		async (_what, of) => {
			for (const field of ['title', 'message'] as const) {
				const { sent } = await runOnce(
					{ ...of, [field]: '={{ $json.it }}', options: waits },
					{ it: LONG },
				);
				for (const { body } of sent) expect(body[field]).toMatch(/^Delete a+…$/u);
			}
		},
	);

	test.each<[string, string]>([
		['a button', 'approve'],
		['another button', 'disapprove'],
	])('since the label of %s is too long: it is refused, or ends in a sign', async (_what, name) => {
		const approvalOptions = {
			values: { approvalType: 'double', [`${name}Label`]: '={{ $json.it }}' },
		};
		const { sent } = await runOnce({ ...question, approvalOptions, options: waits }, { it: LONG });
		for (const { body } of sent) expect(JSON.stringify(body['choices'])).toMatch(/"Delete a+…"/u);
	});
});
