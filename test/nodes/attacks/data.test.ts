import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { agentWith } from '../../engine/agent.ts';
import { runBeckon } from '../../engine/one-node.ts';
import { acceptEverything, type RecordingServer } from '../../engine/recording-server.ts';

/**
 * Further attempts with what a workflow's data, or an agent, may put into the node: its recipients, files and answers.
 */

const PICTURE = 'https://beckon.example.com/images/p';

/** What the service says about the end of a question. */
let ended: object = {};
let pictures = 0;
let service: RecordingServer;

beforeAll(async () => {
	service = await acceptEverything((path) => ({
		...(path.startsWith('/api/questions/') && ended),
		...(path === '/api/images' && { url: `${PICTURE}${(pictures += 1)}` }),
	}));
});

afterAll(() => {
	service.stop();
});

const credentials = () => ({ beckonApi: { baseUrl: `${service.url}/api`, apiKey: 'bk_test' } });

interface Given {
	items?: IDataObject[];
	files?: string[];
	node?: Partial<INode>;
}

/** Runs the node. @param files the names of the items' files @returns what was sent, and the output or the error */
async function run(parameters: INodeParameters, { items = [{}], files, node }: Given = {}) {
	service.requests.length = 0;
	const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 7, 7]).toString('base64');
	const file = { data: bytes, mimeType: 'image/jpeg', fileName: 'camera' };
	const binary = files && Object.fromEntries(files.map((name) => [name, file]));
	const options = { items, credentials: credentials(), ...(node && { node }) };
	const done = await runBeckon(parameters, { ...options, ...(binary && { binary }) }).catch(
		(error: unknown) => ({ error: error as Error, itemsOf: () => [] }),
	);
	return { sent: [...service.requests], error: done.error, items: done.itemsOf('Beckon') };
}

/** An agent calls the node with words of its own. */
async function callBy(parameters: INodeParameters, words: Record<string, string>) {
	service.requests.length = 0;
	const agent = await agentWith(parameters, credentials());
	const outcome = await agent(words).catch((error: unknown) => error as Error);
	return { sent: [...service.requests], outcome };
}

const send = {
	resource: 'pushNotification',
	operation: 'send',
	title: '={{ $json.title ?? "T" }}',
};
const asking = { ...send, operation: 'sendAndWait', responseType: 'approval' };
const keeping = (options: INodeParameters = {}) => ({
	...asking,
	options: { howToWait: 'keepRunning', ...options },
});
const bodies = (sent: typeof service.requests) => sent.map(({ body }) => body as IDataObject);

describe('an item reaches more than its author meant', () => {
	const toTeam = { ...send, sendTo: 'channels', channels: '={{ $json.team }}' };

	test.each<[string, unknown]>([
		['nobody', undefined],
		['an empty list', []],
		['a list of nothing', [null, '', ' ']],
		['blanks that nobody sees', '\u200B\u2060'],
		['a list of lists', [['ops']]],
		['everybody, in words', { all: true }],
	])('beside others, which have a team, if it names %s', async (_what, team) => {
		const items = [
			{ title: 'First', team: 'ops' },
			{ title: 'Second', team },
			{ title: 'Third', team: ['sales'] },
		] as IDataObject[];
		const { sent } = await run(toTeam, { items, node: { onError: 'continueRegularOutput' } });
		for (const { title, target } of bodies(sent))
			expect([title, target]).toEqual([
				title,
				{
					channels: title === 'First' ? ['ops'] : title === 'Third' ? ['sales'] : expect.anything(),
				},
			]);
		const second = bodies(sent).find(({ title }) => title === 'Second');
		// At most as the name of a channel, which the service does not know.
		expect(second ? JSON.stringify(second['target']) : '').not.toMatch(
			/\[\]|null|"all"|"ops"|"sales"/,
		);
	});

	test('because it takes the recipients of its neighbor', async () => {
		const items = ['ops', 'sales', 'boss'].flatMap((team, index) =>
			Array.from({ length: 4 }, (_, copy) => ({ team, title: `${team} ${index} ${copy}` })),
		);
		const { sent } = await run(toTeam, { items });
		expect(sent).toHaveLength(items.length);
		for (const { title, target } of bodies(sent))
			expect(target).toEqual({ channels: [(title as string).split(' ')[0]] });
	});

	test.each(['', ' ', ',', '\n', '[]', 'null', 'undefined'])(
		'if an agent names %j as its team',
		async (team) => {
			const channels = '={{ $fromAI("team", "", "string", "") }}';
			const { sent, outcome } = await callBy({ ...send, sendTo: 'channels', channels }, { team });
			const isNamed = /^\w+$/.test(team);
			expect(bodies(sent).map(({ target }) => target)).toEqual(
				isNamed ? [{ channels: [team] }] : [],
			);
			expect(outcome instanceof Error).toBe(!isNamed);
		},
	);
});

describe('a push shows a file that its author did not mean', () => {
	const withPicture = { ...send, options: { imageField: '={{ $json.file }}' } };

	test.each(['salary', '__proto__', 'constructor', 'toString', '../photo', 'photo ', 'Photo'])(
		'by the name %j',
		async (file) => {
			const { sent, error } = await run(withPicture, { items: [{ file }], files: ['photo'] });
			expect([sent.length, error === undefined]).toEqual([0, false]);
		},
	);

	test('of another item', async () => {
		const items = ['a', 'b', 'c', 'd'].map((title, index) => ({
			title,
			file: index % 2 === 0 ? 'photo' : '',
		}));
		const { sent } = await run(withPicture, { items, files: ['photo'] });
		const pushes = bodies(sent).filter(({ title }) => title !== undefined);
		const media = pushes.map(({ media: shown }) => shown);
		expect(media.map((one) => one !== undefined)).toEqual([true, false, true, false]);
		expect(new Set(media).size).toBe(3);
	});
});

describe('it goes on as if somebody had approved', () => {
	const approved = { data: { status: 'answered', approved: true, responder: { name: 'Boss' } } };

	test.each<[string, object]>([
		['withdrawn', { status: 'withdrawn' }],
		['over', { status: 'expired' }],
		['in a state of its own', { status: 'paused', approved: true }],
		['answered with a choice of another question', { status: 'answered', answer: { choice: '1' } }],
		[
			'answered with a button’s label in other letters',
			{ status: 'answered', answer: { choice: 'APPROVE' } },
		],
		['answered with an object', { status: 'answered', answer: { choice: { id: 'approve' } } }],
	])('since an earlier question was approved, and this one is %s', async (_what, state) => {
		ended = state;
		const { items } = await run(keeping(), { items: [approved] });
		expect(items).toHaveLength(1);
		expect(items[0]?.json['data']).toMatchObject({ approved: false, responder: null });
	});

	test('since an earlier question was approved, and this one cannot be asked', async () => {
		const options = keeping({ answerableBy: '={{ [] }}', defaultAnswer: 'Perhaps' });
		const node = { onError: 'continueRegularOutput' } as const;
		const { sent, items } = await run(options, { items: [approved], node });
		expect(sent).toEqual([]);
		for (const { json } of items) expect(json).not.toHaveProperty('data.approved', true);
	});

	test('by the default that its author has set, without saying so', async () => {
		const answer = { choice: 'approve', by: 'deadline', at: '2026-01-01T00:00:00Z' };
		ended = { status: 'answered', answer };
		const { sent, items } = await run(keeping({ defaultAnswer: 'Approve' }));
		expect(bodies(sent)[0]).toMatchObject({ deadline: { choice: 'approve' } });
		expect(items[0]?.json['data']).toMatchObject({
			approved: true,
			by: 'deadline',
			responder: null,
		});
	});
});
