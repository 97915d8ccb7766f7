import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sendingToService } from './support/sending.ts';

/**
 * Attempts with an item's words in fields that are no words: the name that a push replaces, a number on the icon, the
 * answer that a deadline gives, and the length of what is to be approved.
 */

const attempt = sendingToService();

const push = { resource: 'pushNotification', operation: 'send', title: 'T' };
const question = {
	resource: 'pushNotification',
	operation: 'sendAndWait',
	title: 'T',
	responseType: 'approval',
};
const waits = { howToWait: 'keepRunning' };

/** Runs the node. @returns the bodies that were sent, and the error */
async function run(parameters: INodeParameters, json: unknown = {}) {
	const { requests, error } = await attempt(parameters, json);
	const sent = requests.map(({ body }) => ({ body: body as IDataObject }));
	// Something is sent, or refused: never both, and never neither.
	expect(sent.length > 0).toBe(error === undefined);
	return { sent, error };
}

describe('a push takes the place of others, which its author did not name', () => {
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
		const { sent } = await run({ ...push, options: { replaces: '={{ $json.it }}' } }, { it });
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
		const { sent } = await run(
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
		const { sent } = await run(asking('={{ $json.it }}'), { it });
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
			const { sent } = await run({ ...asking('Decline'), approvalOptions }, { it });
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
				const { sent } = await run(
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
		const { sent } = await run({ ...question, approvalOptions, options: waits }, { it: LONG });
		for (const { body } of sent) expect(JSON.stringify(body['choices'])).toMatch(/"Delete a+…"/u);
	});
});
