import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { npm } from '../../scripts/lib/npm.ts';
import { pack } from '../../scripts/lib/pack.ts';
import { ROOT } from '../../scripts/lib/root.ts';

export interface Ended {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	stderr: string;
}

const DEFAULT_SHELL = process.platform === 'win32' ? 'bash' : 'dash';

/** How a command is started. */
export interface Start {
	env?: Readonly<Record<string, string>>;
	/** Written to its standard input, which is then closed. */
	input?: string;
	/** By default dash, Debian's /bin/sh; on Windows bash, which Git brings. */
	shell?: 'bash' | 'dash';
	/** Whether the command sees a terminal. */
	hasTerminal?: boolean;
	/** Called with all output so far, whenever there is more. */
	onOutput?: (output: string, child: Running) => void;
}

/** What a test does to a command while it runs. */
interface Running {
	kill: (signal: NodeJS.Signals) => void;
	type: (text: string) => void;
	/** Closes its standard input. */
	end: () => void;
}

/** The packed command line, installed as its users install it, with a home of its own. */
export class Installed {
	readonly folder: string;

	private constructor(folder: string) {
		this.folder = folder;
	}

	static async install(): Promise<Installed> {
		const folder = await mkdtemp(path.join(tmpdir(), 'beckon-cli-'));
		const { tarball } = await pack(folder, path.join(ROOT, 'cli'));
		const options = ['--no-audit', '--no-fund', '--prefix', folder];
		await npm(['install', '--offline', ...options, tarball], { cwd: folder, minutes: 2 });
		return new Installed(folder);
	}

	/** The same as built, without npm: for tests that do not depend on the package. */
	static async link(): Promise<Installed> {
		const folder = await mkdtemp(path.join(tmpdir(), 'beckon-cli-'));
		const bin = path.join(folder, 'node_modules/.bin');
		await mkdir(bin, { recursive: true });
		const program = path.join(ROOT, 'cli/dist/beckon.js');
		if (process.platform === 'win32') {
			await writeFile(path.join(bin, 'beckon'), `#!/bin/sh\nexec node '${program}' "$@"\n`);
		} else await symlink(program, path.join(bin, 'beckon'));
		return new Installed(folder);
	}

	/** Runs words of a shell, in which `beckon` is a command. */
	async run(words: string, start: Start = {}): Promise<Ended> {
		const { env, input, shell = DEFAULT_SHELL, hasTerminal = false, onOutput } = start;
		const bin = path.join(this.folder, 'node_modules/.bin');
		// `script` runs a command in a terminal of its own: util-linux's, or that of macOS.
		const inTerminal =
			process.platform === 'darwin'
				? ['-q', '/dev/null', shell, '-c', words]
				: ['--quiet', '--return', '--command', words, '/dev/null'];
		const [program, args] = hasTerminal ? ['script', inTerminal] : [shell, ['-c', words]];
		const own = Object.entries(process.env).filter(([name]) => !name.startsWith('BECKON_'));
		const child = spawn(program, args, {
			cwd: this.folder,
			env: {
				...Object.fromEntries(own),
				HOME: this.folder,
				XDG_CONFIG_HOME: path.join(this.folder, 'config'),
				SHELL: `/bin/${shell}`,
				...env,
				PATH: [
					env?.['PATH'] ?? path.dirname(process.execPath),
					bin,
					process.env['PATH'] ?? '',
				].join(path.delimiter),
			},
			stdio: 'pipe',
			// Its signals must not reach this process.
			detached: true,
		});
		const output = { stdout: '', stderr: '' };
		for (const name of ['stdout', 'stderr'] as const) {
			child[name].setEncoding('utf8').on('data', (text: string) => {
				output[name] += text;
				onOutput?.(output.stdout + output.stderr, {
					kill: (signal) => child.kill(signal),
					type: (text) => child.stdin.write(text),
					end: () => child.stdin.end(),
				});
			});
		}
		if (input !== undefined) child.stdin.end(input);
		else if (!onOutput && !hasTerminal) child.stdin.end();
		return await new Promise((resolve, reject) => {
			child.once('error', reject);
			child.once('close', (code, signal) => {
				resolve({ code, signal, ...output });
			});
		});
	}

	/** The folder of a Node.js 20: the machine's own, or from npm. */
	async findNode20(): Promise<string> {
		const own = '/usr/bin/node';
		if (existsSync(own) && String(execFileSync(own, ['--version'])).startsWith('v20.')) {
			return path.dirname(own);
		}
		const folder = path.join(this.folder, 'node-20');
		await mkdir(folder);
		// Newer versions of npm run no script of a package that is not named.
		const manifest = { private: true, allowScripts: { node: true } };
		await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
		const options = ['--no-audit', '--no-fund', '--prefix', folder];
		await npm(['install', ...options, 'node@20'], { cwd: folder, minutes: 4 });
		return path.join(folder, 'node_modules/.bin');
	}

	async remove(): Promise<void> {
		await rm(this.folder, { recursive: true, force: true });
	}
}
