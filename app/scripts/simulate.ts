/**
 * Starts the built app in a simulator, pairs it with a server on this machine, and sends it each kind of push as that
 * server sends it to Apple: `node scripts/simulate.ts UDID`, after `npm run simulator`. Pictures are in
 * `.cache/simulator/`. The taps are Maestro's (maestro.mobile.dev).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../server/test/browser/support/server.ts';
import { BUNDLE_ID } from '../../server/test/gateways/support/apns.ts';
import { OPEN_URL } from '../../server/test/support/samples.ts';
import { waitFor } from '../../server/test/support/wait.ts';
import { FIRST_START, startBench } from '../test/support/bench.ts';
import { APP } from '../test/support/extension.ts';
import { sessionInMemory } from '../test/support/memory.ts';

const BUILT = '.cache/xcode/Build/Products/Release-iphonesimulator/Beckon.app';
export const FLOWS = join(APP, 'scripts/simulator');

const push = { title: 'Backup finished', message: '412 GB in 3 h 12 min', badge: 1 };
const urgent = { ...push, interruption_level: 'time-sensitive' };
const actions = ['Approve', 'Decline'].map((title) => ({ ...OPEN_URL, title }));
const state = { type: 'segmented_progress', title: 'Deploy', number_of_steps: 4 };

/** The pushes, each with the name of its picture. The second phone's tokens are used as if they were the app's. */
const SENT: Array<[name: string, send: (api: Api) => Promise<unknown>]> = [
	['notification', (api) => api.push(push)],
	['buttons', (api) => api.push({ title: 'Deploy 2.0?', actions })],
	['time-sensitive', (api) => api.push(urgent)],
	['badge', (api) => api.badge(4)],
	['activity-start', (api) => api.stream('deploy', { ...state, current_step: 1 })],
	['activity-update', (api) => api.stream('deploy', { current_step: 3 })],
	['activity-end', (api) => api.endStream('deploy')],
];

interface Machine {
	/** @throws Error if the command fails */
	run: (command: string, args: string[]) => Promise<unknown>;
	/** Milliseconds until a simulator has drawn what it received. */
	drawMs: number;
	folder: string;
}

/** @param udid of the simulator, which is booted. @returns the names of what was sent */
export async function simulate(udid: string, { run, drawMs, folder }: Machine): Promise<string[]> {
	mkdirSync(folder, { recursive: true });
	const simctl = (verb: string, ...args: string[]) => run('xcrun', ['simctl', verb, udid, ...args]);
	const picture = async (name: string) => {
		await sleep(drawMs);
		await simctl('io', 'screenshot', join(folder, `${name}.png`));
	};
	const flow = (name: string, values: Record<string, string> = {}) => {
		const all = Object.entries({ APP_ID: BUNDLE_ID, ...values });
		const set = all.flatMap(([key, value]) => ['-e', `${key}=${value}`]);
		return run('maestro', ['--device', udid, 'test', ...set, join(FLOWS, `${name}.yaml`)]);
	};
	await using bench = await startBench();
	const phones = async () =>
		(await bench.server.cli<unknown[]>('device', 'list', '--account', 'demo')).length;
	const tokens = { push_token: 'ab01', push_to_start_token: 'cd01', app: FIRST_START };
	await bench.pair(sessionInMemory(), tokens);
	const before = await phones();
	await simctl('install', join(APP, BUILT));
	await flow('pair', { SERVER: bench.server.url, CODE: await bench.pairCode() });
	await waitFor('the app to be paired', async () => (await phones()) > before);
	await picture('paired');
	await flow('lock');
	for (const [name, send] of SENT) {
		const known = bench.apns.taken.length;
		await send(bench);
		const taken = await waitFor(`${name} at Apple`, () => bench.apns.taken[known]);
		const file = join(folder, `${name}.apns`);
		const payload = { 'Simulator Target Bundle': BUNDLE_ID, ...taken.payload };
		writeFileSync(file, JSON.stringify(payload, null, '\t'));
		await simctl('push', BUNDLE_ID, file);
		await picture(name);
	}
	await flow('widget');
	await picture('widget');
	return SENT.map(([name]) => name);
}

if (import.meta.main) {
	const run = async (command: string, args: string[]) =>
		execFileSync(command, args, { stdio: 'inherit', timeout: 300_000 });
	const folder = join(APP, '.cache/simulator');
	await simulate(process.argv[2] ?? 'booted', { run, drawMs: 3_000, folder });
}
