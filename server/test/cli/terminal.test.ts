import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../support/server.ts';
import { runCli } from '../support/process.ts';

/** Clears a terminal, sets its window title, and marks the direction of the text that follows. */
const TITLE = 'A\u001b[2J\u001b]0;B\u0007\u009b31m\u200fC';

describe('a title that a terminal would obey', () => {
	let server: TestServer;
	const list = async (...more: string[]) => {
		const { directory } = server.store;
		const args = ['history', 'list', '--account', server.account.name, '--data', directory];
		const { code, stdout } = await runCli([...args, ...more]);
		expect(code).toBe(0);
		return stdout;
	};
	beforeAll(async () => {
		server = await startTestServer();
		expect((await server.call('POST', '/push-notification', { title: TITLE })).status).toBe(200);
	});
	afterAll(() => server.close());

	it('is printed to people with a sign for each such character', async () => {
		const stdout = await list();
		expect(stdout).toContain('A\ufffd[2J\ufffd]0;B\ufffd\ufffd31m\ufffdC');
		expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
	});

	it('is printed to scripts as JSON with each such character escaped', async () => {
		const stdout = await list('--json');
		expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
		expect((JSON.parse(stdout) as Array<{ title: string }>)[0]!.title).toBe(TITLE);
	});
});
