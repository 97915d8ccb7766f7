import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../engine/one-node.ts';
import { RecordingServer } from '../../engine/recording-server.ts';

/** Further attempts with what a picker or an expression gives for the one phone, or the channels, of a message. */

const PHONE = 'phone-5f0c1e0a6a534f0e9d0b6c6b';

let service: RecordingServer;
beforeAll(async () => {
	service = await RecordingServer.start({ body: () => ({ success: true }) });
});
afterAll(() => {
	service.stop();
});

/** Runs the node. @returns the targets that were sent, and the error */
async function run(parameters: INodeParameters, json: unknown = {}) {
	service.requests.length = 0;
	const credentials = { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } };
	const given = { resource: 'pushNotification', operation: 'send', title: 'T', ...parameters };
	const { error } = await runBeckon(given, { items: [json as IDataObject], credentials }).catch(
		(cause: unknown) => ({ error: cause as Error }),
	);
	return { targets: service.requests.map(({ body }) => (body as IDataObject)['target']), error };
}

describe('a message for one phone reaches others', () => {
	test.each<[string, unknown]>([
		['nothing', undefined],
		['a list of phones', [PHONE, PHONE.replace('b6c6b', 'b6c6c')]],
		['a list of one', [PHONE]],
		['a channel', 'ops'],
		['a phone and a channel', `${PHONE}, ops`],
		['a phone in two lines', `${PHONE}\nops`],
		['a phone of capitals', PHONE.toUpperCase()],
		['a phone with what nobody sees', `${PHONE}\u200B`],
		['another picker', { __rl: true, mode: 'id', value: PHONE }],
		['an object', { slug: PHONE, toString: 'ops' }],
		['a number', 5],
		['yes', true],
	])('if an expression gives %s', async (_what, it) => {
		const phone = { __rl: true, mode: 'id', value: '={{ $json.it }}' };
		const { targets, error } = await run({ sendTo: 'phone', phone }, { it });
		// Refused, or that phone alone.
		for (const target of targets) expect(target).toEqual({ channels: [PHONE] });
		expect(targets.length === 1).toBe(error === undefined);
	});

	test.each<[string, unknown]>([
		['of no mode', { __rl: true, value: 'ops' }],
		['of another mode', { __rl: true, mode: 'url', value: 'ops' }],
		['without a value', { __rl: true, mode: 'list', value: '' }],
		[
			'whose name is shown, and not its value',
			{ __rl: true, mode: 'list', value: '', cachedResultName: PHONE },
		],
		['that is a text', 'all'],
		['that is missing', undefined],
	])('by a picker %s', async (_what, phone) => {
		const { targets, error } = await run({ sendTo: 'phone', phone } as INodeParameters);
		expect([targets, error === undefined]).toEqual([[], false]);
	});

	test.each(['Phone', 'phone ', 'PHONES', '', 'none', 'all,phone', 'toString'])(
		'by Send To %j, which an import has set',
		async (sendTo) => {
			const { targets } = await run({ sendTo, phone: PHONE, channels: ['ops'] });
			expect(targets).toEqual([]);
		},
	);
});
