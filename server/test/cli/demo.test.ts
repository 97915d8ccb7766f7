import { describe, expect, it, jest } from '@jest/globals';
import { join } from 'node:path';
import { cliWithAccount, ID } from '../support/cli.ts';
import { runCli } from '../support/process.ts';
import { placesThatHold } from '../support/secrets.ts';
import { isOnPostgres } from '../support/store.ts';

/** Each test starts the program several times. */
jest.setTimeout(60_000);

describe('the verb demo', () => {
	const { acme, lines, json, directory } = cliWithAccount();

	it('demo seeds what there is to try, and a second run adds a fresh key and phone', async () => {
		const first = await json('demo');
		expect(first).toEqual({
			...{ account: 'demo', base_url: 'http://127.0.0.1:8787/api', channels: ['ops', 'sales'] },
			...{
				key: expect.stringMatching(/^bk_/),
				device_id: ID('dev'),
				device_token: expect.stringMatching(/^bd_/),
			},
			...{
				pair_code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{8}$/),
				metrics: expect.arrayContaining(['cpu.load']),
			},
			phone: `http://127.0.0.1:8787/phone#token=${first.device_token}`,
			pair: `http://127.0.0.1:8787/phone#code=${first.pair_code}`,
		});
		const text = await lines('demo', '--port', '9000');
		expect(text).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/^Base URL +http:\/\/127\.0\.0\.1:9000\/api$/),
			]),
		);
		const key = /bk_\S+/.exec(text.join(' '))?.[0] ?? '';
		expect(key).not.toBe(first.key);
		expect(
			await placesThatHold(directory.path, [first.key, first.device_token, first.pair_code, key]),
		).toEqual([]);
		expect(await json('channel', 'list', '--account', 'demo')).toHaveLength(2);
	});

	it('says how to start the server whose links it prints, while none runs on the data', async () => {
		const adviceOf = async (...args: string[]) =>
			(await lines(...args)).filter((line) => line.startsWith('No server runs'));
		const advice = `No server runs on this data. Start it, then open the link: beckon-server start --data ${directory.path}`;
		// Other machines may serve a database.
		expect(await adviceOf('device', 'pair-code', ...acme)).toEqual(isOnPostgres ? [] : [advice]);
		expect(await adviceOf('account', 'setup-link', ...acme)).toEqual(isOnPostgres ? [] : [advice]);
		expect(await adviceOf('demo', '--port', '9000')).toEqual(
			isOnPostgres ? [] : [`${advice} --port 9000`],
		);
		const { stdout } = await runCli(['demo', '--data', join(directory.path, 'my data')]);
		if (!isOnPostgres) expect(stdout).toContain(`start --data '${directory.path}/my data'\n`);
	});
});
