import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait.ts';
import { send } from '../senders/support/send.ts';
import { group } from '../senders/support/groups.ts';
import { answerOn, startTeam, type Team } from './support/team.ts';

/** Attempts with a sender key of one channel: in forms that carry a key twice, and in what an agent wants to run. */

let team: Team;
let ops: string;
let sales: string;
beforeAll(async () => {
	team = await startTeam();
	ops = await team.server.addSenderKey(['ops']);
	sales = await team.server.addSenderKey(['sales']);
});
afterAll(() => team.server.close());

const inboxes = () => Promise.all([team.bob, team.server.phone].map((phone) => phone.inbox()));

describe('a sender key of one channel reaches another', () => {
	it.each<[string, string, Parameters<typeof send>[2]]>([
		['a query beside its header', `/gotify/message?token=KEY`, { body: { message: 'M' } }],
		['a topic of dots', '/ntfy/ops%2F..%2Fsales', { body: 'M' }],
		['a topic in another case of letters', '/ntfy/Sales', { body: 'M' }],
		['a topic with what nobody sees', '/ntfy/sales%E2%80%8B', { body: 'M' }],
		['a topic of a list', '/ntfy', { body: { topic: ['sales'], message: 'M' } }],
		[
			'a topic that is named twice',
			'/ntfy',
			{ body: '{"topic":"ops","topic":"sales","message":"M"}' },
		],
		['a call of the API', '/api/push-notification', { body: { title: 'M' } }],
		['the tools for agents', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }],
		['a question of the API', '/api/questions', { body: { title: 'M', text: {} } }],
		['the console', '/console/api/history', { method: 'GET' }],
		['the calls of a phone', '/device/inbox', { method: 'GET' }],
	])('by %s', async (_how, url, more) => {
		const before = await inboxes();
		const { status } = await send(team.server, url.replace('KEY', 'bk_wrong'), {
			key: ops,
			...more,
		});
		expect(status === 200 ? url : 'refused').toMatch(/^refused$|^\/gotify|^\/mcp/);
		expect(await inboxes()).toEqual(before);
	});

	it.each(['/grafana', '/alertmanager'])(
		'by a resolved group of %s that the other has open',
		async (url) => {
			const name = team.unique('Same');
			await send(team.server, url, { key: sales, body: group(['high'], { name }) });
			const before = (await team.bob.snapshot()).activities;
			await send(team.server, url, {
				key: ops,
				body: group(['high'], { name, status: 'resolved' }),
			});
			expect((await team.bob.snapshot()).activities).toEqual(before);
			expect(JSON.stringify((await team.ada.snapshot()).activities)).not.toContain(name);
			await send(team.server, url, {
				key: sales,
				body: group(['high'], { name, status: 'resolved' }),
			});
		},
	);
});

describe('an agent shows another thing than it runs', () => {
	async function asked(input: string) {
		const tool = team.unique('Tool').replace(' ', '');
		const body = `{"hook_event_name":"PermissionRequest","tool_name":"${tool}","tool_input":${input}}`;
		const headers = { 'content-type': 'application/json' };
		const answer = send(team.server, '/agent-hook', { key: ops, body, headers });
		const push = await waitFor('the question', async () =>
			(await team.ada.snapshot()).questions
				.map((shown: any) => shown.push)
				.find(({ title }: any) => title.includes(tool)),
		);
		await answerOn(team.ada, push.question.question_id, { choice: 'deny' });
		expect((await answer).body).toMatchObject({
			hookSpecificOutput: { decision: { behavior: 'deny' } },
		});
		return push.message as string;
	}

	it.each([
		[
			'with a space that separates nothing',
			'{"command":"rm\\u00A0-rf ~"}',
			'command: rm⟨U+00A0⟩-rf ~',
		],
		['with a note that is not printed', '{"command":"ls\\uD834\\uDD59"}', 'command: ls⟨U+1D159⟩'],
		['with a character for private use', '{"command":"ls\\uE000"}', 'command: ls⟨U+E000⟩'],
		[
			'with a label in a deeper list',
			'{"a":[["x","command: ls"]],"command":"rm"}',
			'command: rm\na: [["x","command: ls"]]',
		],
		['with spaces before the end', '{"command":"ls     \\nrm"}', 'command: ls⟨5 × U+0020⟩\n│ rm'],
		[
			'with a carriage return over the line',
			'{"command":"rm -rf ~\\rls"}',
			'command: rm -rf ~⟨U+000D⟩ls',
		],
		['with Markdown', '{"command":"[ls](x) `rm`"}', 'command: [ls](x) `rm`'],
		['with a name like an index', '{"2":"b","1":"a","command":"rm"}', 'command: rm\n1: a\n2: b'],
		[
			'with variation selectors',
			'{"command":"ls\\uFE0F\\uDB40\\uDD00"}',
			'command: ls⟨U+FE0F⟩⟨U+E0100⟩',
		],
	])('%s', async (_how, input, shown) => {
		expect(await asked(input)).toBe(shown);
	});
});
