import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Phone } from '../engine/phone.ts';
import { TestServer } from '../engine/server.ts';
import { Installed, type Ended } from './beckon.ts';

let beckon: Installed;
let server: TestServer;
let phone: Phone;
let env: Record<string, string>;
/** The shortest deadline passes while the other tests run. */
let unanswered: Promise<Ended>;

beforeAll(async () => {
	beckon = await Installed.install();
	server = await TestServer.start();
	const demo = await server.seedDemo();
	phone = demo.phone;
	env = { BECKON_URL: server.url, BECKON_API_KEY: demo.key };
	unanswered = beckon.run('beckon ask "Anybody?" --within 30s', { env });
	// Later tests look at the newest push.
	await phone.question('Anybody?');
});

afterAll(async () => {
	await server.stop();
	await beckon.remove();
});

async function lastPush(): Promise<unknown> {
	const pushes = (await phone.sent()).filter((delivery) => delivery.kind === 'push');
	return pushes.at(-1)?.push;
}

const activities = async () => (await phone.snapshot()).activities;

/** An address where nothing listens. */
async function deadAddress(): Promise<string> {
	const taken = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => taken.once('listening', resolve));
	const { port } = taken.address() as AddressInfo;
	await new Promise((resolve) => taken.close(resolve));
	return `http://127.0.0.1:${port}`;
}

describe.each(['bash', 'dash'] as const)('in %s', (shell) => {
	it('sends a push', async () => {
		const words = 'beckon push "Backup done" "It took 3 minutes" --level passive --tag nightly';
		expect(await beckon.run(words, { env, shell })).toEqual({
			code: 0,
			signal: null,
			stdout: 'sent, on 1 phone\n',
			stderr: '',
		});
		expect(await lastPush()).toMatchObject({
			title: 'Backup done',
			message: 'It took 3 minutes',
			interruption_level: 'passive',
		});
	});

	it('reads the message from a pipe', async () => {
		await beckon.run('printf "first\\nsecond\\n" | beckon push "From a pipe" -', { env, shell });
		expect(await lastPush()).toMatchObject({ message: 'first\nsecond' });
	});

	it('keeps the exit code of a command', async () => {
		const ended = await beckon.run('beckon run -- sh -c "echo out; echo err >&2; exit 7"', {
			env,
			shell,
		});
		expect(ended).toMatchObject({ code: 7, stdout: 'out\n', stderr: 'err\n' });
	});
});

describe('what is sent', () => {
	it('prints the answer as JSON, for scripts', async () => {
		const { stdout } = await beckon.run('beckon push Title --json --channel ops', { env });
		expect(JSON.parse(stdout)).toMatchObject({
			success: true,
			devices_notified: 1,
			effective_channel_slugs: ['ops'],
		});
	});

	it('may go to several channels, each named by an option of its own', async () => {
		const words = 'beckon --json push -c ops -c sales Title';
		const { stdout } = await beckon.run(words, { env });
		expect(JSON.parse(stdout)).toMatchObject({ effective_channel_slugs: ['ops', 'sales'] });
	});

	it('may be a metric, whose value is a number or a text', async () => {
		await beckon.run('beckon metric revenue.today 1234.5', { env });
		await beckon.run('beckon metric build.status 20 --text', { env });
		const { metrics } = await phone.snapshot();
		const value = (key: string) => metrics.find((metric) => metric.key === key)?.value;
		expect(value('revenue.today')).toBe(1234.5);
		expect(value('build.status')).toBe('20');
	});

	it('may be the badge', async () => {
		expect(await beckon.run('beckon badge 5', { env })).toMatchObject({
			stdout: 'set, on 1 phone\n',
		});
		expect((await phone.snapshot()).badge).toBe(5);
	});

	it('may be a Live Activity, of the type its fields belong to', async () => {
		const start = 'beckon stream deploy --title Deploying --steps 3 --step 1';
		expect((await beckon.run(start, { env })).stdout).toBe('started, on 1 phone\n');
		await beckon.run('beckon stream deploy --step 2', { env });
		expect(await shownActivity('Deploying')).toMatchObject({
			type: 'segmented_progress',
			number_of_steps: 3,
			current_step: 2,
		});
		const end = await beckon.run('beckon stream deploy --end --step 3 --stay 10m', { env });
		expect(end).toMatchObject({ code: 0, stdout: 'ended, on 1 phone\n' });
	});

	it('may be the end of a Live Activity as it is, whose phones are known', async () => {
		await beckon.run('beckon stream backup --title Backup --percentage 10', { env });
		const toOthers = await beckon.run('beckon stream backup --end --channel ops', { env });
		expect(toOthers).toMatchObject({ code: 1, stderr: expect.stringContaining('--channel') });
		expect(await beckon.run('beckon stream backup --end', { env })).toMatchObject({ code: 0 });
	});
});

describe('a refusal', () => {
	it("is told in the service's words", async () => {
		const { code, stderr } = await beckon.run('beckon push Title -c nowhere', { env });
		expect(code).toBe(1);
		expect(stderr).toMatch(/^beckon: .*nowhere/);
	});

	it('of a key says what to do, and not the key', async () => {
		const wrong = { ...env, BECKON_API_KEY: 'bk_wrong' };
		const { code, stderr } = await beckon.run('beckon push Title', { env: wrong });
		expect(code).toBe(1);
		expect(stderr).toContain('beckon login');
		expect(stderr).not.toContain('bk_wrong');
	});

	it('of the command line has an exit code of its own', async () => {
		expect(await beckon.run('beckon push', { env })).toMatchObject({ code: 2 });
		expect(await beckon.run('beckon badge many', { env })).toMatchObject({ code: 2 });
		const toChannel = await beckon.run('beckon metric revenue.today 1 -c ops', { env });
		expect(toChannel).toMatchObject({ code: 2 });
	});

	it('to connect names the address', async () => {
		const dead = await deadAddress();
		const { code, stderr } = await beckon.run('beckon badge 1', {
			env: { ...env, BECKON_URL: dead },
		});
		expect(code).toBe(1);
		expect(stderr).toContain(`Cannot reach ${dead}/api: nothing listens there.`);
		// A port of another protocol, to which no `fetch` connects.
		const blocked = { ...env, BECKON_URL: 'http://127.0.0.1:1' };
		expect(await beckon.run('beckon badge 1', { env: blocked })).toMatchObject({
			code: 1,
			stderr: 'beckon: Cannot reach http://127.0.0.1:1/api: bad port\n',
		});
	});
});

describe('login', () => {
	it('stores the key for its owner alone, and later commands use it', async () => {
		const { BECKON_URL: url = '', BECKON_API_KEY: key = '' } = env;
		const login = await beckon.run(`beckon login ${url}`, { input: `${key}\n` });
		expect(login).toMatchObject({ code: 0, stderr: '' });
		const file = path.join(beckon.folder, 'config/beckon/access.json');
		expect((await stat(file)).mode & 0o777).toBe(0o600);
		expect(await beckon.run('beckon badge 0')).toMatchObject({ code: 0 });
	});

	it('asks for the key in a terminal, and does not show it', async () => {
		const { BECKON_URL: url = '', BECKON_API_KEY: key = '' } = env;
		let isTyped = false;
		const { code, stdout } = await beckon.run(`beckon login ${url}`, {
			hasTerminal: true,
			onOutput(output, { type }) {
				if (isTyped || !output.includes('API key (not shown): ')) return;
				isTyped = true;
				type(`${key}\n`);
			},
		});
		expect(code).toBe(0);
		expect(stdout).toContain(`Signed in to ${url}/api`);
		expect(stdout).not.toContain(key);
	});

	it.each([
		['Ctrl-C', '\u0003'],
		['Ctrl-D', '\u0004'],
	])('is given up by %s in a sentence', async (_name, typed) => {
		let isTyped = false;
		const { code, stdout } = await beckon.run(`beckon login ${server.url}`, {
			hasTerminal: true,
			onOutput(output, { type }) {
				if (isTyped || !output.includes('API key (not shown): ')) return;
				isTyped = true;
				type(typed);
			},
		});
		expect(code).toBe(130);
		expect(stdout).toContain('beckon: Interrupted.');
		expect(stdout).not.toContain('node:');
	});

	it('is for one address: its key goes to no other', async () => {
		const { code, stderr } = await beckon.run('beckon badge 1', {
			env: { BECKON_URL: await deadAddress() },
		});
		expect(code).toBe(1);
		expect(stderr).toContain('Set both BECKON_URL and BECKON_API_KEY');
	});

	it('stores nothing that does not work', async () => {
		const home = await mkdtemp(path.join(tmpdir(), 'beckon-home-'));
		const { code, stderr } = await beckon.run(`beckon login ${server.url}; beckon badge 1`, {
			input: 'bk_wrong\n',
			env: { XDG_CONFIG_HOME: home },
		});
		expect(code).toBe(1);
		expect(stderr).toContain('The key is not valid.');
		expect(stderr).toContain('No server is known.');
		await rm(home, { recursive: true });
	});
});

describe('run', () => {
	it('shows the time and the last line, and at the end the exit code', async () => {
		let during: unknown;
		const ended = beckon.run(
			'beckon run --title Build --stream build -- sh -c "echo compiling; read line; exit 3"',
			{
				env,
				onOutput(output, { end }) {
					if (!output.includes('compiling') || during !== undefined) return;
					during = true;
					void shownActivity('Build').then((state) => {
						during = state;
						end();
					});
				},
			},
		);
		expect((await ended).code).toBe(3);
		expect(during).toMatchObject({
			type: 'timer',
			title: 'Build',
			timer: { counts_down: false, is_running: true },
		});
		const history = await server.history('demo');
		expect(history.find(({ title }) => title === 'Build')?.ended_at).not.toBeNull();
	});

	it('shows a character whose bytes arrive apart', async () => {
		const words = `printf 'caf\\303'; sleep 0.3; printf '\\251\\n'`;
		await beckon.run(`beckon run --title Apart --no-alert -- sh -c "${words}"`, { env });
		expect(await shownActivity('Apart')).toMatchObject({
			subtitle: expect.stringMatching(/ · café$/),
		});
	});

	it('passes signals on, and reports the one that ended the command', async () => {
		const { code, stdout } = await beckon.run(
			'exec beckon run -- sh -c "trap \'echo told; exit 9\' TERM; echo ready; while :; do sleep 0.1; done"',
			{
				env,
				onOutput(output, { kill }) {
					if (output.includes('ready') && !output.includes('told')) kill('SIGTERM');
				},
			},
		);
		expect(stdout).toContain('told');
		expect(code).toBe(9);
		const killed = await beckon.run('beckon run -- sh -c "kill -KILL \\$\\$"', { env });
		expect(killed.code).toBe(137);
	});

	it('runs on if the server is away, and says so once', async () => {
		const words = 'beckon run --timeout 4s -- sh -c "echo done; exit 4"';
		const dead = await deadAddress();
		const ended = await beckon.run(words, { env: { ...env, BECKON_URL: dead } });
		expect(ended).toMatchObject({ code: 4, stdout: 'done\n' });
		const reason = `Cannot reach ${dead}/api: nothing listens there. Check the address and whether it runs.`;
		expect(ended.stderr).toBe(`beckon: not shown on the phone: ${reason}\n`);
	});

	it('says that a command does not exist as a shell does', async () => {
		expect(await beckon.run('beckon run -- no-such-command', { env })).toMatchObject({ code: 127 });
	});

	it('works in a terminal', async () => {
		const ended = await beckon.run('beckon run -- sh -c "echo in a terminal; exit 5"', {
			env,
			hasTerminal: true,
		});
		expect(ended.stdout).toContain('in a terminal');
		expect(ended.code).toBe(5);
	});
});

describe('ask', () => {
	it('waits for the answer, and prints the id of the choice', async () => {
		const asked = beckon.run('beckon ask "Which size?" --choice s=Small --choice l=Large', { env });
		await phone.answer((await phone.question('Which size?')).question_id, { choice: 'l' });
		expect(await asked).toMatchObject({ code: 0, stdout: 'l\n', stderr: '' });
	});

	it('prints a typed answer', async () => {
		const asked = beckon.run('beckon ask "Which name?" --text', { env });
		await phone.answer((await phone.question('Which name?')).question_id, { text: 'Aurora' });
		expect(await asked).toMatchObject({ code: 0, stdout: 'Aurora\n' });
	});

	it('has an exit code for a decline, so that && goes on only after an approval', async () => {
		const asked = beckon.run('beckon ask "Deploy?" && echo deploying', { env });
		await phone.answer((await phone.question('Deploy?')).question_id, { choice: 'decline' });
		expect(await asked).toMatchObject({ code: 3, stdout: 'decline\n' });
	});

	it('has one for a question that was withdrawn', async () => {
		const asked = beckon.run('beckon ask "Still?"', { env });
		const { question_id: id } = await phone.question('Still?');
		await fetch(`${server.baseUrl}/questions/${id}`, {
			method: 'DELETE',
			headers: { authorization: `Bearer ${env['BECKON_API_KEY'] ?? ''}` },
		});
		expect(await asked).toMatchObject({ code: 5, stdout: '' });
	});

	it('withdraws the question if it is interrupted', async () => {
		let interrupt = (): void => undefined;
		const asked = beckon.run('echo asking; exec beckon ask "Now?"', {
			env,
			onOutput(_output, { kill }) {
				interrupt = () => kill('SIGINT');
			},
		});
		const { question_id: id } = await phone.question('Now?');
		interrupt();
		expect(await asked).toMatchObject({ code: 130 });
		const state = await fetch(`${server.baseUrl}/questions/${id}`, {
			headers: { authorization: `Bearer ${env['BECKON_API_KEY'] ?? ''}` },
		});
		expect(await state.json()).toMatchObject({ status: 'withdrawn' });
	});

	it('has one for a question that nobody has answered in time', async () => {
		expect(await unanswered).toMatchObject({ code: 4, stdout: '' });
	});

	it('takes nothing for an answer but the state of an answered question', async () => {
		// Asking succeeds, and then something in between answers for the server.
		const between = createServer(({ method }, response) => {
			response.setHeader('content-type', method === 'POST' ? 'application/json' : 'text/html');
			response.end(method === 'POST' ? '{"success": true, "question_id": "q"}' : '<p>Sign in</p>');
		}).listen(0, '127.0.0.1');
		await new Promise((resolve) => between.once('listening', resolve));
		const { port } = between.address() as AddressInfo;
		const address = { ...env, BECKON_URL: `http://127.0.0.1:${port}` };
		const asked = await beckon.run('beckon ask "Deploy?" && echo deploying', { env: address });
		between.close();
		expect(asked).toMatchObject({ code: 1, stdout: '' });
		expect(asked.stderr).toContain('did not say how the question ended');
	});
});

describe('on Node 20', () => {
	it('works as on newer ones', async () => {
		const on20 = { env: { ...env, PATH: await beckon.findNode20() } };
		expect((await beckon.run('node --version', on20)).stdout).toMatch(/^v20\./);
		expect(await beckon.run('beckon push "From Node 20"', on20)).toMatchObject({ code: 0 });
		expect((await beckon.run('beckon run -- sh -c "exit 6"', on20)).code).toBe(6);
	});
});

async function shownActivity(title: string): Promise<unknown> {
	for (;;) {
		const found = (await activities()).find(({ content_state: state }) => state.title === title);
		if (found) return found.content_state;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}
