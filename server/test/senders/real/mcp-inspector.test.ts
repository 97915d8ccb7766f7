import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installFolder } from '../../../../scripts/lib/install-folder.ts';
import { newest } from '../support/send.ts';
import { type Reached, startForSenders } from './start.ts';

const FOLDER = join(import.meta.dirname, 'inspector');
const INSPECTOR = join(FOLDER, 'node_modules/.bin/inspector');

const execute = promisify(execFile);

describe('the MCP Inspector on the command line', () => {
	let reached: Reached;
	beforeAll(async () => {
		const announcement = 'Installing the MCP Inspector: 110 MB, the first time only …';
		await installFolder(FOLDER, { announcement });
		reached = await startForSenders();
	});
	afterAll(() => reached.server.close());

	const inspect = async (key: string, ...args: string[]): Promise<any> => {
		const server = ['--cli', `http://${reached.host}/mcp`, '--transport', 'http'];
		const header = ['--header', `Authorization: Bearer ${key}`];
		const { stdout } = await execute(process.execPath, [INSPECTOR, ...server, ...header, ...args]);
		return JSON.parse(stdout);
	};

	it('lists the tools', async () => {
		const { tools } = await inspect(reached.server.account.key, '--method', 'tools/list');
		expect(tools).toHaveLength(10);
		expect(tools[0]).toMatchObject({ name: 'send_push', inputSchema: { required: ['title'] } });
	});

	it('calls one', async () => {
		const call = ['--method', 'tools/call', '--tool-name', 'send_push'];
		const title = ['--tool-arg', 'title=From the Inspector'];
		const result = await inspect(reached.server.account.key, ...call, ...title);
		expect(result.structuredContent).toMatchObject({ success: true, devices_notified: 1 });
		expect((await newest(reached.server)).push).toMatchObject({ title: 'From the Inspector' });
	});

	it('is refused with a wrong key', async () => {
		await expect(inspect('bk_wrong', '--method', 'tools/list')).rejects.toThrow('auth_required');
	});
});
