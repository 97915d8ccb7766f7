import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../senders/support/send.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

/** Attempts of an agent to run something else than is shown, by numbers, long texts and the bytes of its request. */

let server: TestServer;
let key: string;
beforeAll(async () => {
	server = await startTestServer({ settings: UNLIMITED });
	await server.addChannel('ops', { users: ['owner'] });
	key = await server.addSenderKey(['ops']);
});
afterEach(async () => {
	await withdrawAll();
	await waitFor('all waits to end', () => server.context.questionWaits.size === 0);
});
afterAll(() => server.close());

/** The open questions on the phone, as pushes. */
const shownOnes = async (): Promise<any[]> =>
	(await server.phone.snapshot()).questions
		.map(({ push }: any) => push)
		.filter(({ question }: any) => question.status === 'open');
const withdrawAll = async () => {
	for (const { question } of await shownOnes())
		await server.call('DELETE', `/questions/${question.question_id}`);
};

const hook = (body: string | Buffer, headers: Record<string, string> = {}) =>
	send(server, '/agent-hook', {
		key,
		body,
		headers: { 'content-type': 'application/json', ...headers },
	});

/** What the phone shows of a permission. @param input the JSON of its input; undefined: it is not asked */
async function shown(input: string): Promise<string | undefined> {
	const answer = hook(
		`{"hook_event_name":"PermissionRequest","tool_name":"Pay","tool_input":${input}}`,
	);
	let isOver = false;
	const over = answer.then(() => (isOver = true));
	await waitFor(
		'the question, or its refusal',
		async () => isOver || (await shownOnes()).length > 0,
	);
	const [push] = await shownOnes();
	const text = push?.message as string | undefined;
	await withdrawAll();
	await over;
	expect(JSON.stringify((await answer).body ?? {})).not.toContain('"allow"');
	return text;
}

describe('an agent shows another number than it uses', () => {
	it.each([
		['of more digits than fit', '{"account":9007199254740993}', '9007199254740993'],
		['below zero, of more digits than fit', '{"account":-9007199254740993}', '-9007199254740993'],
		['in a list', '{"accounts":[1,18446744073709551615]}', '18446744073709551615'],
		['deep inside', '{"a":{"b":[{"c":12345678901234567891}]}}', '12345678901234567891'],
		['that is too large', '{"amount":1e999}', '1e999'],
		['that is large, and not whole', '{"amount":9007199254740993.5}', '9007199254740993.5'],
	])('%s', async (_what, input, runs) => {
		const text = await shown(input);
		// Not asked at all, or with the number that is used.
		expect(text ?? runs).toContain(runs);
	});

	it.each([
		['that fits', '{"account":9007199254740991}', 'account: 9007199254740991'],
		['as a text', '{"account":"9007199254740993"}', 'account: 9007199254740993'],
		['with a part', '{"amount":12.5}', 'amount: 12.5'],
		['in a list that fits', '{"a":[1,-2,0.25]}', 'a: [1,-2,0.25]'],
	])('but one %s is shown', async (_what, input, text) => {
		expect(await shown(input)).toBe(text);
	});
});

describe('an agent hides what it runs', () => {
	it.each<[string, string]>([
		['behind a word of a thousand letters', `${'a'.repeat(1_000)}; rm -rf ~`],
		['between spaces that are seen', `ls${' '.repeat(16)};${' '.repeat(16)}rm -rf ~`],
		['behind a return to the beginning of the line', 'rm -rf ~\r ls      '],
		['by taking characters back', 'rm -rf ~\b\b\b\b\b\b\b\bls      '],
		['behind an end of the text', 'ls\u0000; rm -rf ~'],
		[
			'in tags of no shape',
			`ls${[...'; rm -rf ~'].map((c) => String.fromCodePoint(0xe0000 + c.codePointAt(0)!)).join('')}; rm -rf ~`,
		],
		['behind lines of another kind', 'ls\u2028\u2029\u0085\u000brm -rf ~'],
		['behind half of a character', 'ls \ud83d; rm -rf ~'],
	])('%s', async (_how, command) => {
		const text = await shown(JSON.stringify({ command }));
		expect(text).toContain('rm -rf ~');
		expect(text).not.toMatch(
			/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u{e0000}-\u{e007f}]/u,
		);
		expect(text?.split('\n').filter((line) => /^\w+: /.test(line))).toHaveLength(1);
	});

	it.each<[string, Buffer | string, Record<string, string>]>([
		['in UTF-16', Buffer.from('{"hook_event_name":"PermissionRequest"}', 'utf16le'), {}],
		[
			'in bytes that are no text',
			Buffer.concat([
				Buffer.from('{"hook_event_name":"PermissionRequest","tool_name":"A","tool_input":{"c":"'),
				Buffer.from([0xff, 0xfe]),
				Buffer.from('"}}'),
			]),
			{},
		],
		[
			'as a form',
			'hook_event_name=PermissionRequest',
			{ 'content-type': 'application/x-www-form-urlencoded' },
		],
		['twice in one body', '{"hook_event_name":"Stop"}{"hook_event_name":"PermissionRequest"}', {}],
	])('%s: nothing is allowed without having been shown', async (_how, body, headers) => {
		const answer = hook(body, headers);
		let isOver = false;
		const over = answer.then(() => (isOver = true));
		await waitFor('its end, or a question', async () => isOver || (await shownOnes()).length > 0);
		for (const { message } of await shownOnes()) expect(message).toContain('\ufffd');
		await withdrawAll();
		await over;
		expect(JSON.stringify((await answer).body ?? {})).not.toContain('"allow"');
	});
});
