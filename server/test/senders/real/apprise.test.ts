import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireProgram } from '../../support/programs.ts';
import { newest } from '../support/send.ts';
import { type Reached, startForSenders } from './start.ts';

requireProgram('apprise');

/** Debian's `apprise`, a command that many programs use to notify. */
async function apprise(url: string, title = 'Backup', body = 'Größe ✓') {
	const args = ['-v', '-t', title, '-b', body, url];
	return promisify(execFile)('apprise', args, { env: { ...process.env, LC_ALL: 'C.UTF-8' } });
}

describe('Apprise', () => {
	let reached: Reached;
	beforeAll(async () => {
		reached = await startForSenders();
	});
	afterAll(() => reached.server.close());

	it('reaches the phone as ntfy, at the root', async () => {
		const { server, host, key } = reached;
		const query = 'priority=high&tags=disk,raid&click=https://example.com/run';
		await apprise(`ntfy://beckon:${key}@${host}/ops?${query}`);
		expect((await newest(server)).push).toMatchObject({
			title: 'Backup',
			message: 'Größe ✓',
			interruption_level: 'time-sensitive',
			tags: expect.arrayContaining(['disk', 'raid']),
			redirection: 'https://example.com/run',
		});
	});

	it('reaches the phone as gotify', async () => {
		const { server, host, key } = reached;
		await apprise(`gotify://${host}/gotify/${key}`, 'Restore');
		expect((await newest(server)).push).toMatchObject({
			title: 'Restore',
			message: 'Größe ✓',
			// What Apprise calls normal is gotify's 5.
			interruption_level: 'time-sensitive',
		});
	});

	it('tells its user why a message is refused', async () => {
		const { host, key } = reached;
		const refused = apprise(`ntfy://beckon:${key}@${host}/ops?delay=30m`);
		await expect(refused).rejects.toMatchObject({
			code: 1,
			stdout: expect.stringContaining('Beckon delivers every message at once'),
		});
	});
});
