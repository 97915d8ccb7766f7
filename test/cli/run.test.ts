import { setTimeout as sleep } from 'node:timers/promises';

import { Installed } from './beckon.ts';
import { StandIn } from './stand-in.ts';

/** Windows has no signals, and `script` makes no terminal there. */
const isWindows = process.platform === 'win32';
if (isWindows) process.stderr.write('Signals and terminals are not tested on Windows.\n');
const onPosix = isWindows ? it.skip : it;

let beckon: Installed;
let server: StandIn;

beforeAll(async () => {
	beckon = await Installed.link();
	server = await StandIn.start();
});

beforeEach(() => server.reset());

afterAll(async () => {
	await server.stop();
	await beckon.remove();
});

const run = async (words: string, start: Parameters<Installed['run']>[1] = {}) =>
	await beckon.run(words, { env: server.env, ...start });

const methods = () => server.calls.map(({ method }) => method);

describe('a command', () => {
	it('gets everything that follows its name', async () => {
		const words = `beckon run --title T sh -c 'printf "%s," "$@"' - -c ops --title x --json -- -h`;
		expect(await run(words)).toMatchObject({ code: 0, stdout: '-c,ops,--title,x,--json,--,-h,' });
		expect(server.calls[0]?.body['content_state']).toMatchObject({ title: 'T' });
	});

	it('has the standard input', async () => {
		expect((await run('beckon run cat', { input: 'typed\n' })).stdout).toBe('typed\n');
	});

	it('that does not exist or cannot be run is told as by a shell, and not shown', async () => {
		const missing = await run('beckon run no-such-command -c');
		expect(missing.code).toBe(127);
		expect(missing.stderr).toBe('beckon: no-such-command: there is no such command\n');
		expect(server.calls).toEqual([]);
	});

	onPosix('that is no program is told so', async () => {
		const { code, stderr } = await run('beckon run ./node_modules');
		expect({ code, stderr }).toEqual({
			code: 126,
			stderr: 'beckon: ./node_modules: it is not executable\n',
		});
	});

	it('is told by the help how to print its lines as they come', async () => {
		const { stdout } = await run('beckon run --help');
		for (const way of ['stdbuf -oL', 'PYTHONUNBUFFERED=1', '--no-output']) {
			expect(stdout).toContain(way);
		}
	});

	onPosix('has the terminal for itself with --no-output', async () => {
		const words = `beckon run --no-output sh -c 'test -t 0 && test -t 1 && test -t 2 && exit 5'`;
		expect(await run(words, { hasTerminal: true })).toMatchObject({ code: 5 });
	});

	onPosix('ends `run` by the signal that has ended it, so that loops of a shell stop', async () => {
		const ended = await run(`exec beckon run sh -c 'kill -INT $$'`);
		expect(ended).toMatchObject({ code: null, signal: 'SIGINT' });
		expect(methods().at(-1)).toBe('DELETE');
	});
});

describe('the activity ends', () => {
	onPosix('while a process that the command has left in the background runs on', async () => {
		const { code, stdout } = await run(`beckon run sh -c 'sleep 600 & echo $!; exit 4'`);
		expect(code).toBe(4);
		expect(methods().at(-1)).toBe('DELETE');
		// Throws if it no longer runs.
		process.kill(Number(stdout), 'SIGKILL');
	});

	onPosix('if the reader of the output has left', async () => {
		const { stdout, stderr } = await run(
			'beckon run sh -c "while echo line; do :; done" | head -1',
		);
		expect(stdout).toBe('line\n');
		expect(stderr).not.toContain('node:');
		expect(methods().at(-1)).toBe('DELETE');
	});

	onPosix('however often Ctrl-C is pressed before it has', async () => {
		const loop = 'trap "exit 9" INT; echo ready; while :; do sleep 0.1; done';
		let isPressed = false;
		const press = async (kill: (signal: NodeJS.Signals) => void) => {
			isPressed = true;
			while (!methods().includes('DELETE')) {
				kill('SIGINT');
				await sleep(20);
			}
		};
		const { code, signal } = await run(`exec beckon run sh -c '${loop}'`, {
			onOutput(output, { kill }) {
				if (output.includes('ready') && !isPressed) void press(kill);
			},
		});
		expect({ code, signal }).toEqual({ code: 9, signal: null });
	});

	it('after the last lines, whole, whatever their reader does', async () => {
		const print = `for (let i = 0; i < 40000; i += 1) console.log('line ' + i)`;
		const { stdout } = await run(`beckon run node -e "${print}" | (sleep 3; tail -1)`);
		expect(stdout).toBe('line 39999\n');
		expect(JSON.stringify(server.calls.at(-1)?.body)).toContain('line 39999');
	});
});

/** What may happen to the phones, and the reason that is then told; the command's exit code is its own. */
describe.each<[what: string, how: () => Record<string, string>, reason: RegExp]>([
	[
		'the server never answers',
		() => {
			server.answer = () => undefined;
			return server.env;
		},
		/did not answer in time/,
	],
	[
		'the server is lost after the start',
		() => {
			server.answer = (response, { method }) => {
				if (method === 'DELETE') return void response.socket?.destroy();
				response.end('{"success": true}');
			};
			return server.env;
		},
		/the phone may still show it as running: .*`beckon stream run-\w+ --end` ends it/,
	],
	[
		'the allowance is used up',
		() => {
			server.answer = (response) => {
				response.writeHead(429, { 'retry-after': '3600', 'content-type': 'application/json' });
				response.end('{"error": "rate_limited"}');
			};
			return server.env;
		},
		/not shown on the phone: The allowance is used up/,
	],
	[
		'no server is known',
		() => ({ BECKON_URL: '', BECKON_API_KEY: '' }),
		/not shown on the phone: No server is known/,
	],
	[
		'the file of --ca is none',
		() => ({ ...server.env, CA: '--ca no-such-file' }),
		/not shown on the phone: no-such-file cannot be read/,
	],
])('if %s', (_what, how, reason) => {
	it('the command runs, the reason is told, and `run` ends soon after it', async () => {
		const env = how();
		// It leaves a process of three times the two seconds, which can still be killed when `run` has ended.
		const left = 'sleep 6 >/dev/null 2>&1 & echo $! >left';
		const words = `beckon run $CA sh -c 'sleep 0.3; ${left}; echo out; exit 6'; code=$?; kill $(cat left) && exit $code`;
		const { code, stdout, stderr } = await run(words, { env });
		expect({ code, stdout }).toEqual({ code: 6, stdout: 'out\n' });
		expect(stderr).toMatch(reason);
		expect(stderr.match(/^beckon: /gm)).toHaveLength(1);
	});
});
