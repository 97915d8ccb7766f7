import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/directory.ts';
import { cliOf } from '../support/cli.ts';
import { runCli, runJson } from '../support/process.ts';
import { placesThatHold } from '../support/secrets.ts';
import { isOnPostgres } from '../support/store.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[A-Za-z0-9_-]{16}$`));

/** Each test starts the program several times. */
jest.setTimeout(60_000);

/** Like verbs.test.ts, for the verbs about phones, metrics, history and the demo. */
describe('the command line, about what is not an account', () => {
	const directory = temporaryDirectory();
	const data = ['--data', directory.path];
	const acme = ['--account', 'acme'];
	afterAll(() => directory.remove());

	const { lines, json } = cliOf(data);

	beforeAll(async () => {
		await runJson(['account', 'create', '--name', 'acme', '--owner', 'owner@example.com', ...data]);
		await runJson(['user', 'add', ...acme, '--name', 'ann', ...data]);
	});

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

	it('device list shows the phones', async () => {
		expect(await json('device', 'list', ...acme)).toEqual([]);
		expect(await lines('device', 'list', ...acme)).toEqual([
			'ID  NAME  USER  PLATFORM  REACH  LAST SEEN',
		]);
		const demo = await json('demo');
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
				...{ paired_at: expect.stringMatching(TIME), last_seen_at: expect.stringMatching(TIME) },
			},
		]);
	});

	it('metric create and metric list show the metrics', async () => {
		const load = {
			key: 'cpu.load',
			name: 'CPU load',
			format: 'percent',
			unit: null,
			value: null,
			measured_at: null,
		};
		expect(
			await json(
				'metric',
				'create',
				...acme,
				'--key',
				'cpu.load',
				'--name',
				'CPU load',
				'--format',
				'percent',
			),
		).toEqual(load);
		expect(
			await lines(
				'metric',
				'create',
				...acme,
				'--key',
				'mrr',
				'--format',
				'currency',
				'--unit',
				'EUR',
			),
		).toEqual(['Metric mrr.']);
		expect(await json('metric', 'list', ...acme)).toEqual([
			load,
			{ ...load, key: 'mrr', name: 'mrr', format: 'currency', unit: 'EUR' },
		]);
		expect((await lines('metric', 'list', ...acme))[1]).toMatch(
			/^cpu\.load +CPU load +percent +never$/,
		);
	});

	it('key create --sender prints a sender key, which names its channels', async () => {
		const create = ['key', 'create', ...acme, '--name', 'kuma', '--sender'];
		const refused = await runCli([...create, ...data]);
		expect(refused.code).toBe(1);
		expect(refused.stderr).toContain('channels is required');
		await json('channel', 'create', ...acme, '--slug', 'alerts');
		const created = await json(...create, '--channels', 'alerts');
		expect(created).toMatchObject({
			key: expect.stringMatching(/^bs_[\w-]{43}$/),
			channels: ['alerts'],
			sender: { last_accepted_at: null, last_refused_at: null, last_refusal: null },
		});
		const listed = await lines('key', 'list', ...acme);
		expect(listed.find((line) => line.includes('kuma'))).toContain(`bs_…${created.key.slice(-4)}`);
	});

	it('history list is empty where nothing was sent', async () => {
		expect(await json('history', 'list', ...acme, '--tags', 'a,b', '--limit', '5')).toEqual([]);
		expect(await lines('history', 'list', ...acme)).toEqual([
			'WHEN  KIND  TITLE  TAGS  ENDED  PHONES',
		]);
	});

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

	it('--help and --version say what there is', async () => {
		const { code, stdout } = await runCli(['--help']);
		expect(code).toBe(0);
		for (const verb of [
			'start',
			'account',
			'user',
			'key',
			'channel',
			'device',
			'metric',
			'stream',
			'history',
			'demo',
		]) {
			expect(stdout).toMatch(new RegExp(`^  ${verb} `, 'm'));
		}
		expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
	});
});
