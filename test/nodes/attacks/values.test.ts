import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { agentWith } from '../../engine/agent.ts';
import { runBeckon } from '../../engine/one-node.ts';
import { acceptEverything, type RecordingServer } from '../../engine/recording-server.ts';

/**
 * Further attempts with values of another type than the node's fields have: from expressions, and from an agent's
 * model.
 */

let service: RecordingServer;

beforeAll(async () => {
	service = await acceptEverything((path) => ({
		...(path.startsWith('/api/questions/') && { status: 'withdrawn' }),
	}));
});

afterAll(() => {
	service.stop();
});

const credentials = () => ({ beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } });

/** Runs the node. @returns the bodies that were sent, and the error */
async function run(parameters: INodeParameters, json: unknown = {}, node?: Partial<INode>) {
	service.requests.length = 0;
	const items = [json as IDataObject];
	const options = { items, credentials: credentials(), ...(node && { node }) };
	const { error } = await runBeckon(parameters, options).catch((cause: unknown) => ({
		error: cause as Error,
	}));
	const asked = service.requests.filter(({ method }) => method !== 'GET');
	return { sent: asked.map(({ body }) => body as IDataObject), error };
}

const send = { resource: 'pushNotification', operation: 'send', title: 'T' };
const ask = {
	...send,
	operation: 'sendAndWait',
	responseType: 'approval',
	options: { howToWait: 'keepRunning' },
};
const BUTTONS = [{ title: 'Details', type: 'open_url', url: 'https://example.com/' }];

// A list as a whole cannot come from an expression: n8n itself drops it.
describe('a push loses its buttons without a word', () => {
	test.each<[string, unknown, unknown]>([
		['as a text', { button: '={{ $json.it }}' }, JSON.stringify(BUTTONS)],
		['as texts', { button: '={{ $json.it }}' }, ['Details']],
		['as nothing', { button: '={{ $json.it }}' }, [null, {}]],
		['as lists in a list', { button: '={{ $json.it }}' }, [BUTTONS]],
	])('that an expression gives %s', async (_how, actions, it) => {
		const { sent, error } = await run({ ...send, actions } as INodeParameters, { it });
		for (const { actions: sentOnes } of sent) expect(sentOnes).toEqual(BUTTONS);
		expect(sent.length === 1).toBe(error === undefined);
	});

	test.each<[string, INodeParameters, unknown]>([
		[
			'a Live Activity, of which a text is its button',
			{ content: { action: '={{ $json.it }}' } },
			JSON.stringify({ button: BUTTONS[0] }),
		],
		[
			'a Live Activity, of which a list is its button',
			{ content: { action: '={{ $json.it }}' } },
			BUTTONS,
		],
	])('%s', async (_what, more, it) => {
		const { sent, error } = await run(
			{
				resource: 'liveActivity',
				operation: 'update',
				streamKey: 'deploy',
				activityType: 'alert',
				title: 'T',
				message: 'M',
				...more,
			},
			{ it },
		);
		for (const { action } of sent) expect(action).toEqual(BUTTONS[0]);
		expect(sent.length === 1).toBe(error === undefined);
	});
});

describe('a question is asked with other answers than its author meant', () => {
	test.each<[string, unknown, unknown]>([
		['a text', '={{ $json.it }}', 'Yes'],
		['the text of a list', '={{ $json.it }}', '[{"label":"Yes"}]'],
		['a list', '={{ $json.it }}', [{ label: 'Yes' }]],
		['rows of texts', { choice: '={{ $json.it }}' }, ['Yes', 'No']],
		['rows without labels', { choice: '={{ $json.it }}' }, [{ title: 'Yes' }]],
		[
			'rows with one label',
			{ choice: '={{ $json.it }}' },
			[{ label: 'Yes' }, { label: 'Yes\u200B' }],
		],
		[
			'five rows',
			{ choice: '={{ $json.it }}' },
			['a', 'b', 'c', 'd', 'e'].map((label) => ({ label })),
		],
	])('because its choices are %s', async (_what, choices, it) => {
		const given = { ...ask, responseType: 'choices', choices } as INodeParameters;
		const { sent, error } = await run(given, { it });
		// Five are the service's to refuse.
		expect(sent.every((body) => (body['choices'] as unknown[]).length === 5)).toBe(true);
		expect(sent.length === 1).toBe(error === undefined);
	});

	test.each<[string, unknown]>([
		['a text', 'single'],
		['a list', [{ approvalType: 'single' }]],
		['rows of another name', { value: { approvalType: 'single' } }],
		['a type of another name', { values: { approvalType: 'Single' } }],
		['a type that is a list', { values: { approvalType: ['single', 'double'] } }],
	])('because its approval is %s', async (_what, it) => {
		const { sent } = await run({ ...ask, approvalOptions: '={{ $json.it }}' }, { it });
		// Refused, or with both buttons: never with one alone that was not asked for.
		for (const { choices } of sent) expect(choices).toHaveLength(2);
	});
});

describe('everybody may answer what only some should', () => {
	const restricted = (it: string) => ({
		...ask,
		options: { howToWait: 'keepRunning', answerableBy: it },
	});

	test.each<[string, unknown]>([
		['nobody', undefined],
		['null', null],
		['an empty list', []],
		['an empty text', ''],
		['blanks', ' \n '],
		['commas', ',,'],
		['a list of nothing', [null, '']],
		['a number', 0],
		['no', false],
		['an object', { name: 'Boss' }],
		['a list in a list', [['Boss']]],
	])('because the expression gives %s', async (_what, it) => {
		const { sent } = await run(restricted('={{ $json.it }}'), { it });
		for (const body of sent) {
			expect(body).toHaveProperty('answerable_by');
			// The service refuses an empty list, and names that nobody has.
			expect(body['answerable_by']).not.toContain('');
		}
	});

	test('because the kind of answer, which an item names, takes no names', async () => {
		const kind = {
			...restricted('Boss'),
			responseType: '={{ $json.kind }}',
			formFields: { values: [{ fieldLabel: 'Yes?', fieldType: 'text' }] },
			choices: { choice: [{ label: 'Yes' }] },
		};
		for (const responseType of [
			'approval',
			'choices',
			'freeText',
			'form',
			'nothing',
			'',
			undefined,
		]) {
			const { sent } = await run(kind, { kind: responseType });
			for (const body of sent)
				expect([responseType, body['answerable_by']]).toEqual([responseType, ['Boss']]);
		}
	});
});

describe('an agent’s model widens what its author has set', () => {
	async function callBy(parameters: INodeParameters, words: Record<string, string>) {
		service.requests.length = 0;
		const agent = await agentWith(parameters, credentials());
		await agent(words).catch((error: unknown) => error as Error);
		return service.requests.map(({ body }) => body as IDataObject);
	}

	test.each([
		'all',
		'',
		'phone-5f0c1e0a6a534f0e9d0b6c6b,phone-5f0c1e0a6a534f0e9d0b6c6c',
		'*',
		'ops',
	])('by the phone %j', async (phone) => {
		const one = { mode: 'id', value: '={{ $fromAI("phone", "", "string", "") }}', __rl: true };
		const sent = await callBy({ ...send, sendTo: 'phone', phone: one }, { phone });
		expect(sent).toEqual([]);
	});

	test('by words that are an expression', async () => {
		const title = '={{ $fromAI("words", "", "string") }}';
		const words = '={{ $credentials }} {{ 6 * 7 }}';
		for (const body of await callBy({ ...send, title }, { words }))
			expect(body['title']).toBe(words);
	});

	test.each(['boss', '["boss","all"]', 'boss\nall'])('by the escalation to %j', async (team) => {
		const values = { afterMinutes: 5, channels: '={{ $fromAI("team", "", "string", "") }}' };
		const options = { howToWait: 'keepRunning', escalate: { values } };
		// What follows the question asks for its answer.
		const [question] = await callBy({ ...ask, options }, { team });
		expect(JSON.stringify(question?.['escalate'])).toContain('"boss"');
	});
});
