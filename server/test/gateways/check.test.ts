import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli, runJson } from '../support/process.ts';
import { ApnsStandIn } from './support/apns.ts';

const apns = new ApnsStandIn();
let directory: string;
let settings: Record<string, string>;

beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'beckon-check-'));
	await apns.listen();
	settings = { ...apns.settings(directory), BECKON_DATA: directory };
	await runJson(['account', 'create', '--name', 'home', '--owner', 'o@example.com'], settings);
});
afterAll(async () => {
	await apns.close();
	rmSync(directory, { recursive: true });
});

const check = (args: string[], changed: Record<string, string> = {}) =>
	runCli(['check', ...args], { ...settings, ...changed });

describe('check apns', () => {
	it('accepts settings that APNs takes, without a push to anybody', async () => {
		apns.fault = () => ({ status: 400, reason: 'BadDeviceToken' });
		expect(await check(['apns'])).toMatchObject({
			code: 0,
			stdout: 'APNs accepts the key, the team and the app.\n',
		});
		apns.fault = undefined;
	});

	it('says what to compare when they are wrong', async () => {
		const { code, stderr } = await check(['apns'], { BECKON_APNS_KEY_ID: 'OTHERKEY00' });
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr:
				'APNs answered 403 InvalidProviderToken. Compare BECKON_APNS_KEY_ID and BECKON_APNS_TEAM_ID with the key in BECKON_APNS_KEY_FILE.\n',
		});
	});

	it.each([
		[{ BECKON_APNS_KEY_FILE: '/nowhere.p8' }, 'cannot be read'],
		[{ BECKON_APNS_TEAM_ID: '' }, 'BECKON_APNS_TEAM_ID must be set too'],
		[{ BECKON_APNS_URL: 'https://127.0.0.1:1' }, 'Could not reach APNs'],
		[
			{ BECKON_APNS_CHANNELS_URL: 'https://127.0.0.1:1' },
			'port 2196 (allow outgoing connections to it)',
		],
	])('explains %j in one line', async (changed, words) => {
		const { code, stderr } = await check(['apns'], changed);
		expect(code).toBe(1);
		expect(stderr).toContain(words);
		expect(stderr.trim().split('\n')).toHaveLength(1);
	});
});

describe('doctor', () => {
	const BLOCKED = 'https://127.0.0.1:1';

	it.each([
		[{}, 'ok', /^APNs accepts the key, the team and the app\.$/],
		[{ BECKON_APNS_CHANNELS_URL: BLOCKED }, 'failed', /^Could not reach .* port 2196/],
		[
			{ BECKON_APNS_SANDBOX_CHANNELS_URL: BLOCKED },
			'ok',
			/^APNs accepts .*apps started from Xcode, however: Could not reach .* port 2195/,
		],
	])('asks both of Apple’s services: %j', async (changed, state, words) => {
		const others = { BECKON_PUBLIC_URL: 'http://127.0.0.1:1', ...changed };
		const { stdout } = await runCli(['doctor', '--json'], { ...settings, ...others });
		const found = JSON.parse(stdout) as Array<{ check: string }>;
		expect(found.find(({ check: name }) => name === 'push to iPhones')).toEqual({
			...{ check: 'push to iPhones', state, says: expect.stringMatching(words) },
		});
	});
});

describe('check webpush', () => {
	it('shows the key that browsers subscribe with, the same each time', async () => {
		const first = await runJson(['check', 'webpush'], settings);
		expect(first).toMatchObject({ ok: true, public_key: expect.stringMatching(/^B[\w-]{86}$/) });
		expect(await runJson(['check', 'webpush'], settings)).toEqual(first);
	});
});
