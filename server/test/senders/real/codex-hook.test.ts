import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../support/wait.ts';
import { type Reached, startForSenders } from './start.ts';

/** The command that docs/agents.md gives Codex as its hook, with the machine's curl. */

const DOCUMENT = join(import.meta.dirname, '../../../../docs/agents.md');

const PERMISSION = {
	session_id: '0199a213-81c0-7800-8aa1-bbab2a035a53',
	turn_id: 'turn-1',
	cwd: '/home/ada/shop',
	hook_event_name: 'PermissionRequest',
	tool_name: 'Bash',
	tool_input: { command: 'npm publish' },
};

let reached: Reached;
let folder: string;
let hook: ChildProcessByStdio<Writable, Readable, null>;

beforeEach(async () => {
	reached = await startForSenders({ BECKON_RATE_PER_DEVICE: '1000000' });
	folder = mkdtempSync(join(tmpdir(), 'beckon-codex-'));
	const version = '#!/bin/sh\necho codex-cli 0.171.0\n';
	writeFileSync(join(folder, 'codex'), version, { mode: 0o755 });
	hook = spawn('bash', ['-c', documentedCommand()], {
		stdio: ['pipe', 'pipe', 'ignore'],
		env: {
			PATH: [folder, process.env['PATH']].join(delimiter),
			BECKON_SENDER_KEY: reached.key,
		},
	});
	hook.stdin.end(JSON.stringify(PERMISSION));
	await waitFor('the question', async () => (await question())?.status === 'open');
});
afterEach(async () => {
	// Ends what curl waits for.
	await reached.server.close();
	rmSync(folder, { recursive: true, force: true });
});

function documentedCommand(): string {
	const [, json = ''] =
		/### Codex.*?```json\n(.*?)```\n/s.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
	const { hooks } = JSON.parse(
		json.replace('https://beckon.example.com', `http://${reached.host}`),
	);
	return hooks.PermissionRequest[0].hooks[0].command;
}

const question = async (): Promise<{ question_id: string; status: string } | undefined> =>
	(await reached.server.phone.snapshot()).questions[0]?.push.question;

describe('the hook of Codex', () => {
	it('hands over the decision', async () => {
		const { question_id: id } = (await question())!;
		const body = { tap_id: randomUUID(), choice: 'allow' };
		await reached.server.phone.call('POST', `/questions/${id}/answer`, body);
		expect(JSON.parse(await text(hook.stdout))).toEqual({
			hookSpecificOutput: {
				hookEventName: 'PermissionRequest',
				decision: { behavior: 'allow' },
			},
		});
	});

	it('outlives a Codex that is killed, notices it, and the question is withdrawn', async () => {
		// Its end of the pipe is all that is gone.
		hook.stdout.destroy();
		await waitFor('the end', async () => (await question())?.status === 'withdrawn');
	});
});
