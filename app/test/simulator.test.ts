/** What the workflow for the simulator runs, as far as no Mac is needed: its commands are recorded. */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkPayload } from '../../server/test/gateways/support/apns-rules.ts';
import { FLOWS, simulate } from '../scripts/simulate.ts';
import { APP } from './support/extension.ts';
import { sessionInMemory } from './support/memory.ts';

const ROOT = join(APP, '..');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('a simulator gets each kind of push as the server sends it to Apple', async (t) => {
	const folder = mkdtempSync(join(tmpdir(), 'beckon-simulator-'));
	t.after(() => rmSync(folder, { recursive: true }));
	const commands: string[] = [];
	const run = async (command: string, args: string[]) => {
		const file = args.at(-1)!;
		assert.ok(command !== 'maestro' || existsSync(file), file);
		commands.push(`${command} ${args.join(' ')}`);
		if (!file.endsWith('pair.yaml')) return;
		const values = Object.fromEntries(args.map((arg) => arg.split('=')));
		await sessionInMemory().pair(values['SERVER'], { code: values['CODE'], name: 'iPhone' });
	};
	const names = await simulate('UDID', { run, drawMs: 0, folder });
	for (const name of names) {
		const file = join(folder, `${name}.apns`);
		const text = readFileSync(file, 'utf8');
		const { 'Simulator Target Bundle': bundle, ...payload } = JSON.parse(text);
		const type = 'event' in payload.aps ? 'liveactivity' : 'alert';
		assert.equal(checkPayload(type, JSON.stringify(payload)), undefined, name);
		assert.equal(type === 'liveactivity', name.startsWith('activity'), name);
		assert.ok(commands.includes(`xcrun simctl push UDID ${bundle} ${file}`), name);
		const picture = join(folder, `${name}.png`);
		assert.ok(commands.includes(`xcrun simctl io UDID screenshot ${picture}`), name);
	}
});

test('the taps that pair the app are on texts of its page', () => {
	const files = ['app/src/page/*.tsx', 'server/web/phone/components/*.tsx'];
	const page = files.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).map(textOf)).join('\n');
	const flow = readFileSync(join(FLOWS, 'pair.yaml'), 'utf8');
	const texts = [...flow.matchAll(/(?:tapOn|visible): (.+)/g)].map(([, text]) => text!);
	assert.ok(texts.length >= 5);
	for (const text of texts) assert.ok(page.includes(text), text);
});

test('the workflow runs scripts that there are', () => {
	const workflow = textOf('.github/workflows/app.yml');
	const { scripts } = JSON.parse(textOf('app/package.json'));
	for (const [, name] of workflow.matchAll(/npm run (\S+) --prefix app/g))
		assert.ok(scripts[name!], name);
	for (const [, file] of workflow.matchAll(/node (\S+\.m?[jt]s)/g))
		assert.ok(existsSync(join(ROOT, file!)), file);
	assert.match(scripts.simulator, /-workspace ios\/Beckon\.xcworkspace -scheme Beckon /);
});
