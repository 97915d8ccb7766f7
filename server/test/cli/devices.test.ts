import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { cliWithAccount, TIME } from '../support/cli.ts';
import { runCli, runJson, seed } from '../support/process.ts';
import { placesThatHold } from '../support/secrets.ts';
import { isOnPostgres } from '../support/store.ts';

describe('the verb device', () => {
	const { acme, lines, json, directory, data } = cliWithAccount();

	beforeAll(() => json('user', 'add', ...acme, '--name', 'ann'));

	it('device pair-code prints a code and a link; only its fingerprint is stored', async () => {
		const pairing = await json('device', 'pair-code', ...acme, '--user', 'ann');
		expect(pairing).toEqual({
			...{
				code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{8}$/),
				user: 'ann',
				device_id: expect.stringMatching(/^dev_/),
				advice: expect.stringMatching(/works only on this computer.*BECKON_PUBLIC_URL/),
				expires_at: expect.stringMatching(TIME),
			},
			link: `http://127.0.0.1:8787/phone#code=${pairing.code}`,
		});
		expect((Date.parse(pairing.expires_at) - Date.now()) / 60_000).toBeCloseTo(15, 0);
		const [code, link, note] = await lines('device', 'pair-code', ...acme);
		expect(code).toMatch(/^Code  [2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/);
		expect(link).toBe(`Link  http://127.0.0.1:8787/phone#code=${code!.slice(6).replace('-', '')}`);
		expect(note).toMatch(/^For a phone of owner\. Works once, until 20/);
		expect(
			await placesThatHold(directory.path, [pairing.code, code!.slice(6).replace('-', '')]),
		).toEqual([]);
	});

	it('device pair-code prints links that begin where people reach the server', async () => {
		const linkOf = async (settings: Record<string, string>) =>
			(await runJson(['device', 'pair-code', ...acme, ...data], settings)).link.replace(/#.*/, '');
		expect(await linkOf({ BECKON_PUBLIC_URL: 'https://beckon.example.com/' })).toBe(
			'https://beckon.example.com/phone',
		);
		expect(await linkOf({ BECKON_HOST: '0.0.0.0', BECKON_PORT: '80' })).toBe(
			'http://localhost:80/phone',
		);
		expect(await linkOf({ BECKON_HOST: '::1' })).toBe('http://[::1]:8787/phone');
	});

	it('says how to start the server whose links it prints, while none runs on the data', async () => {
		const adviceOf = async (...args: string[]) =>
			(await lines(...args)).filter((line) => line.startsWith('No server runs'));
		const advice = `No server runs on this data. Start it, then open the link: beckon-server start --data ${directory.path}`;
		// Other machines may serve a database.
		expect(await adviceOf('device', 'pair-code', ...acme)).toEqual(isOnPostgres ? [] : [advice]);
		expect(await adviceOf('account', 'setup-link', ...acme)).toEqual(isOnPostgres ? [] : [advice]);
		expect(await adviceOf('account', 'setup-link', ...acme, '--port', '9000')).toEqual(
			isOnPostgres ? [] : [`${advice} --port 9000`],
		);
		const folder = join(directory.path, 'my data');
		await seed(folder);
		const pairing = ['device', 'pair-code', '--account', 'demo', '--data', folder];
		const { stdout } = await runCli(pairing);
		if (!isOnPostgres) expect(stdout).toContain(`start --data '${folder}'\n`);
	});

	it('device list shows the phones', async () => {
		expect(await json('device', 'list', ...acme)).toEqual([]);
		expect(await lines('device', 'list', ...acme)).toEqual([
			'ID  NAME  USER  PLATFORM  REACH  LAST SEEN  NOTES',
		]);
		const demo = await seed(directory.path);
		expect(await json('device', 'list', '--account', 'demo')).toEqual([
			{
				...{
					id: demo.device_id,
					name: 'Demo phone',
					user: 'owner',
					platform: 'web',
					status: 'active',
					reach: 'while_open',
				},
				advice: 'Notifications are off on this phone. Open its page and turn them on.',
				...{ muted: [], quiet_until: null, last_failure: null },
				...{ paired_at: expect.stringMatching(TIME), last_seen_at: expect.stringMatching(TIME) },
			},
		]);
	});
});
