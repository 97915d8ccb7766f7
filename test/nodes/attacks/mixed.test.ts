import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runBeckon } from '../../engine/one-node.ts';
import { RecordingServer } from '../../engine/recording-server.ts';

/** Attempts with recipients that are partly expressions, or in another spelling, in one item and in several. */

let service: RecordingServer;
beforeAll(async () => {
	service = await RecordingServer.start({ body: () => ({ success: true }) });
});
afterAll(() => {
	service.stop();
});

const PHONE = 'phone-5f0c1e0a6a534f0e9d0b6c6b';
const send = { resource: 'pushNotification', operation: 'send', title: 'T' };

/** Runs the node. @returns the targets that were sent, and the error */
async function run(more: INodeParameters, items: IDataObject[]) {
	service.requests.length = 0;
	const credentials = { beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } };
	const { error } = await runBeckon({ ...send, ...more }, { items, credentials }).catch(
		(cause: unknown) => ({ error: cause as Error }),
	);
	const sent = service.requests.map(({ body }) => (body as IDataObject)['target']);
	return { sent, error };
}

/** Refused, or sent to the channels that are meant; undefined: it must be refused. */
async function expectOnly(more: INodeParameters, item: IDataObject, meant?: string[]) {
	const { sent, error } = await run(more, [item]);
	for (const target of sent) expect(target).toEqual({ channels: meant });
	expect(sent.length === 1).toBe(error === undefined);
	if (!meant) expect(sent).toEqual([]);
}

describe('a push reaches more than its author meant', () => {
	test.each<[string, unknown, unknown, string[] | undefined]>([
		['a text with an expression that gives nothing', '=ops-{{ $json.it }}', undefined, ['ops-']],
		[
			'two expressions, of which one gives nothing',
			'={{ $json.it }},{{ $json.no }}',
			'ops',
			['ops'],
		],
		['two expressions that give nothing', '={{ $json.it }},{{ $json.no }}', undefined, undefined],
		['an expression between blanks', '=  {{ $json.it }}  ', 'ops', ['ops']],
		['an expression between lines', '=\n{{ $json.it }}\n', 'ops', ['ops']],
		['an expression of blanks', '={{ $json.it }}', ' \t\n ', undefined],
		['an expression of blanks in a list', '={{ $json.it }}', [' ', '\t'], undefined],
		['an expression of commas', '={{ $json.it }}', ' , ,, ', undefined],
		['a list with one expression', ['ops', '={{ $json.it }}'], 'sales', ['ops', 'sales']],
		['a list with an expression that gives nothing', ['={{ $json.it }}'], undefined, undefined],
		['a list of a blank', [' '], undefined, undefined],
		['a list of an empty text', [''], undefined, undefined],
		['a channel in capitals', ['OPS'], undefined, undefined],
		['an expression of a channel in capitals', '={{ $json.it }}', 'Ops', undefined],
		['a channel twice', ['ops', 'ops'], undefined, ['ops']],
		['a channel twice, once with blanks', '={{ $json.it }}', 'ops, ops ', ['ops']],
		['an expression that gives “all”', '={{ $json.it }}', 'all', ['all']],
		['an expression that gives a star', '={{ $json.it }}', '*', undefined],
		['an expression that gives JSON', '={{ $json.it }}', '["ops"]', ['ops']],
		['an expression that gives an empty list as JSON', '={{ $json.it }}', '[]', undefined],
		['an expression that gives “null”', '={{ $json.it }}', 'null', ['null']],
		['an expression that gives “undefined”', '=  {{ $json.it }}', 'undefined', ['undefined']],
		['an expression that gives objects', '={{ $json.it }}', [{ slug: 'ops' }], undefined],
		['letters of another alphabet', '={{ $json.it }}', 'оps', undefined],
		['a channel and a phone', '={{ $json.it }}', ['ops', PHONE], ['ops', PHONE]],
	])('by %s', async (_what, channels, it, meant) => {
		const more = { sendTo: 'channels', channels } as INodeParameters;
		await expectOnly(more, { it } as IDataObject, meant);
	});

	test.each<[string, unknown, unknown, string[] | undefined]>([
		['a text with an expression that gives nothing', '=phone-{{ $json.it }}', undefined, undefined],
		['one in capitals', '={{ $json.it }}', PHONE.toUpperCase(), undefined],
		['one between blanks', '={{ $json.it }}', ` ${PHONE}\n`, [PHONE]],
		['one that is longer', '={{ $json.it }}', `${PHONE}0`, undefined],
		['one on the second line', '={{ $json.it }}', `ops\n${PHONE}`, undefined],
		['a list of one and nothing', '={{ $json.it }}', [PHONE, ''], undefined],
		['a list that is empty', '={{ $json.it }}', [], undefined],
	])('by a phone: %s', async (_what, value, it, meant) => {
		const phone = { __rl: true, mode: 'id', value };
		await expectOnly({ sendTo: 'phone', phone } as INodeParameters, { it } as IDataObject, meant);
	});

	test.each<[string, unknown]>([
		['an expression for all', '={{ $json.it }}'],
		['one in capitals', 'ALL'],
		['one with a blank', 'all '],
		['one on a line of its own', 'all\n'],
		['a list', ['all']],
	])('by a Send To that is %s', async (_what, sendTo) => {
		const { sent } = await run({ sendTo, channels: ['ops'] } as INodeParameters, [{ it: 'none' }]);
		expect(sent).toEqual([]);
	});

	test('by what an item before, or after, it has', async () => {
		const more = { sendTo: 'channels', channels: '={{ $json.it }}' };
		const { sent } = await run(more, [{ it: 'ops' }, {}, { it: 'sales' }]);
		for (const target of sent)
			expect([{ channels: ['ops'] }, { channels: ['sales'] }]).toContainEqual(target);
	});
});
