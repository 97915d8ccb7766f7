import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { installFolder } from '../../../../scripts/lib/install-folder.ts';
import { waitFor } from '../../support/wait.ts';
import { type Reached, startForSenders } from './start.ts';

/** Claude Code in a terminal, with the hooks of docs/agents.md and a stand-in for the model. */

const FOLDER = join(import.meta.dirname, 'claude-code');
const DOCUMENT = join(import.meta.dirname, '../../../../docs/agents.md');
const PACKAGE = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/package.json`;
const API_KEY = 'sk-ant-stand-in-0000000000000000';

beforeAll(async () => {
	const announcement = 'Installing Claude Code: 620 MB, the first time only …';
	await installFolder(FOLDER, { announcement });
});

/** Answers as Anthropic's Messages API: with the next command, and with words when all have run. */
function startModel(): Server {
	return createServer((request, response) => {
		let text = '';
		request.setEncoding('utf8').on('data', (part: string) => (text += part));
		request.on('end', () => {
			if (!/^\/v1\/messages(\?|$)/.test(request.url ?? '')) return response.end('{}');
			const { tools = [], messages } = JSON.parse(text);
			const ran = text.match(/"type":"tool_result"/g)?.length ?? 0;
			const command = tools.length > 0 ? commands[ran] : undefined;
			const block = command
				? { type: 'tool_use', id: `toolu_${messages.length}`, name: 'Bash', input: {} }
				: { type: 'text', text: '' };
			const delta = command
				? { type: 'input_json_delta', partial_json: JSON.stringify({ command }) }
				: { type: 'text_delta', text: 'Done' };
			const usage = { input_tokens: 1, output_tokens: 1 };
			const message = {
				id: 'msg',
				type: 'message',
				role: 'assistant',
				model: 'm',
				content: [],
				usage,
			};
			const end = { stop_reason: command ? 'tool_use' : 'end_turn', stop_sequence: null };
			const events = [
				{ type: 'message_start', message },
				{ type: 'content_block_start', index: 0, content_block: block },
				{ type: 'content_block_delta', index: 0, delta },
				{ type: 'content_block_stop', index: 0 },
				{ type: 'message_delta', delta: end, usage },
				{ type: 'message_stop' },
			];
			response.setHeader('content-type', 'text/event-stream');
			const lines = events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`);
			return response.end(lines.join(''));
		});
	}).listen(0, '127.0.0.1');
}

/** The hooks that the document says to set, for this server. */
function documentedHooks({ host, key }: Reached): object {
	const text = readFileSync(DOCUMENT, 'utf8');
	const [, json = ''] = /### Claude Code.*?```json\n(.*?)```\n/s.exec(text) ?? [];
	const { hooks } = JSON.parse(
		json.replace('https://beckon.example.com', `http://${host}`).replace('YOUR_KEY', key),
	);
	const [, names = ''] = /Repeat the entry for (.*?)\. /.exec(text) ?? [];
	const events = ['PermissionRequest', ...[...names.matchAll(/`(\w+)`/g)].map(([, name]) => name)];
	expect(events.length).toBeGreaterThan(1);
	return Object.fromEntries(events.map((event) => [event, hooks.PermissionRequest]));
}

let reached: Reached;
let model: Server;
let home: string;
let terminal: ChildProcess;
let screen: string;
/** What the model runs one after another. */
let commands: string[];

beforeEach(async () => {
	reached = await startForSenders({ BECKON_RATE_PER_DEVICE: '1000000' });
	model = startModel();
	await once(model, 'listening');
	home = mkdtempSync(join(tmpdir(), 'beckon-claude-'));
	mkdirSync(join(home, '.claude'));
	mkdirSync(join(home, 'shop'));
});
afterEach(async () => {
	if (terminal.exitCode === null) {
		terminal.kill();
		await once(terminal, 'exit');
	}
	model.closeAllConnections();
	model.close();
	await reached.server.close();
	rmSync(home, { recursive: true, force: true });
});

/** Starts it in a pseudo-terminal, where it asks about each command. */
function start(name: string): void {
	const cwd = join(home, 'shop');
	const put = (file: string, value: object) =>
		writeFileSync(join(home, file), JSON.stringify(value));
	put('.claude.json', {
		hasCompletedOnboarding: true,
		customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
		projects: { [cwd]: { hasTrustDialogAccepted: true } },
	});
	put('.claude/settings.json', { hooks: documentedHooks(reached) });
	const ofPackage = createRequire(join(FOLDER, 'node_modules', name, 'package.json'));
	const program = join(ofPackage.resolve(PACKAGE), '../claude');
	const command = `stty cols 120 rows 45; exec '${program}' --permission-mode default 'Make three files'`;
	const { PATH } = process.env;
	const { port } = model.address() as AddressInfo;
	terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
		cwd,
		env: {
			PATH,
			HOME: home,
			TERM: 'xterm-256color',
			ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
			ANTHROPIC_API_KEY: API_KEY,
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
			DISABLE_AUTOUPDATER: '1',
		},
	});
	screen = '';
	terminal.stdout?.setEncoding('utf8').on('data', (part: string) => (screen += part));
}

/** Waits until it asks about this command here and on the phone. @returns the id of the question */
async function asked(command: string): Promise<string> {
	const id = await waitFor(`the question about ${command}`, async () => {
		const found = (await questions()).find(({ message }) => message.includes(command));
		return found?.question.status === 'open' && (found.question.question_id as string);
	});
	await waitFor('the dialog', () => screen.includes('proceed?'));
	return id;
}
const press = (keys: string) => {
	screen = '';
	terminal.stdin?.write(keys);
};
const questions = async (): Promise<any[]> =>
	(await reached.server.phone.snapshot()).questions.map(({ push }: any) => push);
const statusOf = async (id: string) =>
	(await questions()).find(({ question }) => question.question_id === id)?.question.status;
const tap = async (id: string, choice: string) => {
	const body = { tap_id: randomUUID(), choice };
	return (await reached.server.phone.call('POST', `/questions/${id}/answer`, body)).body;
};
const isMade = (file: string) => existsSync(join(home, 'shop', file));

describe.each(['claude-code', 'claude-code-older'])('%s in a terminal', (name) => {
	it('ends the question that it answers there, and takes the taps of the others', async () => {
		commands = ['touch first', 'touch second', 'touch third'];
		start(name);
		const first = await asked('touch first');
		press('\r');
		const second = await asked('touch second');
		expect(isMade('first')).toBe(true);
		// Not because it has stopped: it asks already about the next one.
		expect(await statusOf(first)).toBe('withdrawn');
		expect(await tap(first, 'deny')).toMatchObject({
			outcome: 'refused',
			message: 'This question was withdrawn.',
		});

		screen = '';
		expect(await tap(second, 'allow')).toMatchObject({ message: '“Allow” by owner.' });
		const third = await asked('touch third');
		expect(isMade('second')).toBe(true);

		press('\u001B');
		await waitFor('the end', async () => (await statusOf(third)) === 'withdrawn');
		expect(isMade('third')).toBe(false);
	});

	it('has one card for a command that is too long and its own notification', async () => {
		commands = [`touch ${'x'.repeat(16_000)}`];
		start(name);
		const titles = async (): Promise<string[]> =>
			(await reached.server.phone.snapshot()).notifications.map(({ push }: any) => push.title);
		const tooLong = 'Bash: too long to show, answer at the computer';
		await waitFor('the push', async () => (await titles()).includes(tooLong));
		await waitFor('its notification', async () => (await titles()).includes('shop'));
		expect(await titles()).toEqual(['shop']);
	});
});
