import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sendingToService } from './support/sending.ts';

/**
 * Attempts by the data of an item in what stands beside the recipients: who is asked later, who may answer, how often it
 * rings, and by which way the key travels.
 */

const attempt = sendingToService();

const IT = '={{ $json.it }}';
const push = { resource: 'pushNotification', operation: 'send', title: 'T' };
const ask = { ...push, operation: 'sendAndWait', responseType: 'approval' };
const asking = (options: object, more: object = {}) =>
	({ ...ask, ...more, options: { howToWait: 'keepRunning', ...options } }) as INodeParameters;

async function run(parameters: object, it: unknown) {
	const { requests, error } = await attempt(parameters as INodeParameters, { it });
	const sent = requests.filter(({ path }) => !path.includes('/questions/'));
	return { sent: sent.map(({ body }) => body as IDataObject), refused: error !== undefined };
}
const NOTHING = { sent: [], refused: true };

describe('an item lets a question go on to more people than its author meant', () => {
	const escalate = (channels: unknown) => ({
		escalate: { values: { afterMinutes: 30, channels } },
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['an empty list', []],
		['a list of an empty text', ['']],
		['commas', ',,'],
		['a list of objects', [{ slug: 'ops' }]],
		['a truth', true],
		['a blank that nobody sees', '\u2060'],
	])('by an escalation to %s: it is refused, or goes to no other channel', async (_what, it) => {
		const { sent, refused } = await run(asking(escalate(IT)), it);
		// A word that is no channel is refused by the service.
		if (!refused)
			expect(sent).toMatchObject([{ escalate: { target: { channels: [String(it)] } } }]);
		else expect(sent).toEqual([]);
	});

	test('by an escalation to two channels in one text: to these alone', async () => {
		const { sent } = await run(asking(escalate(IT)), 'ops, sales');
		expect(sent).toMatchObject([
			{ escalate: { after_minutes: 30, target: { channels: ['ops', 'sales'] } } },
		]);
	});
});

describe('an item lets more people answer than its author meant', () => {
	test.each<[string, unknown]>([
		['nothing', null],
		['an empty list', []],
		['a list of empty texts', ['', '  ']],
		['an object', { name: 'Ada', toString: 'Ada' }],
		['a list of lists of nothing', [[]]],
		['commas', ' , '],
	])('by %s for the responders: it is refused, at the latest by the service', async (_what, it) => {
		const { sent } = await run(asking({ answerableBy: IT }), it);
		// The service takes no empty list; without the list, everybody could answer.
		for (const body of sent) expect(body['answerable_by']).toEqual([]);
	});

	test('by a name: they alone', async () => {
		const { sent } = await run(asking({ answerableBy: IT }), 'Ada');
		expect(sent).toMatchObject([{ answerable_by: ['Ada'] }]);
	});

	test('by a response type that becomes a form, which everybody can fill in', async () => {
		const form = { formFields: { values: [{ fieldLabel: 'A', fieldType: 'text' }] } };
		const parameters = asking({ answerableBy: ['Ada'] }, { responseType: IT, ...form });
		expect(await run(parameters, 'form')).toEqual(NOTHING);
	});
});

describe('an item rings more often than its author meant', () => {
	const repeat = (values: object) => ({ ...push, options: { repeat: { values } } });
	const TIMES: Array<[string, unknown]> = [
		['a list', [5]],
		['two numbers', '5 6'],
		['a very large one', 1e9],
		['none at all', 'NaN'],
		['a negative one', -1],
		['a fraction', 0.001],
	];

	test('by two numbers that are fine: as often as these say', async () => {
		const { sent } = await run(repeat({ everyMinutes: IT, times: IT }), 5);
		expect(sent).toMatchObject([{ repeat: { every_minutes: 5, times: 5 } }]);
	});

	test.each(TIMES)('by %s of minutes between two rings', async (_what, it) => {
		const { sent } = await run(repeat({ everyMinutes: IT, times: 3 }), it);
		expect(sent).toEqual([]);
	});

	test.each(TIMES)('by %s of rings', async (_what, it) => {
		const { sent } = await run(repeat({ everyMinutes: 5, times: IT }), it);
		expect(sent).toEqual([]);
	});
});

describe('an item changes the way by which the key travels', () => {
	test.each<[string, unknown]>([
		['a truth', true],
		['a word', 'true'],
		['a number', 1],
		['a list', [true]],
		['an object', { valueOf: true }],
		['another case', 'TRUE'],
	])('by %s for whether certificates are checked: nothing is sent', async (_what, it) => {
		const parameters = { ...push, requestOptions: { allowUnauthorizedCerts: IT } };
		expect(await run(parameters, it)).toEqual(NOTHING);
	});

	test.each<[string, unknown]>([
		['without a port', 'http://proxy.example.com'],
		['of another scheme', 'socks5://proxy.example.com:1080'],
		['that is a file', 'file:///etc/passwd'],
		['in a list', ['http://proxy.example.com:3128']],
		['in an object', { href: 'http://proxy.example.com:3128' }],
		['of two lines', 'http://proxy.example.com:3128\nhttp://evil.example.com:3128'],
	])('by a proxy %s: nothing is sent around it', async (_what, it) => {
		const parameters = { ...push, requestOptions: { proxy: IT } };
		expect((await run(parameters, it)).sent).toEqual([]);
	});

	test('but as its author has set it', async () => {
		for (const allowUnauthorizedCerts of [false, true]) {
			const parameters = { ...push, requestOptions: { allowUnauthorizedCerts } };
			expect(await run(parameters, 'x')).toMatchObject({ refused: false });
		}
	});
});
