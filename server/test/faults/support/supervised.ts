import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { within } from '../../support/wait.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');

/** Holds file descriptor 3, and passes it on to one server after the other, as systemd does. */
const SUPERVISOR = `
	for run in first second; do
		(LISTEN_PID=$BASHPID LISTEN_FDS=1 exec "$@") &
		printf '{"pid":%s}\\n' $!
		wait $!
	done`;

/** A server that a service manager starts again, at a socket that stays open meanwhile. */
export async function startSupervised(data: string, settings: Record<string, string>) {
	const holder: Server & { _handle?: { fd: number } } = createServer();
	holder.listen(0, '127.0.0.1');
	await once(holder, 'listening');
	const { port } = holder.address() as AddressInfo;
	const child = spawn(
		'bash',
		['-c', SUPERVISOR, '-', process.execPath, MAIN, 'start', '--data', data, '--json'],
		{
			env: { ...process.env, NODE_OPTIONS: '', ...settings },
			stdio: ['ignore', 'pipe', 'inherit', holder._handle?.fd ?? 'ignore'],
			detached: true,
		},
	);
	holder.close();
	const lines: Array<{ pid?: number; url?: string }> = [];
	let text = '';
	let onLine: () => void = () => undefined;
	child.stdout?.setEncoding('utf8').on('data', (more: string) => {
		text += more;
		for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
			lines.push(JSON.parse(text.slice(0, end)));
			text = text.slice(end + 1);
			onLine();
		}
	});
	const ended = new Promise((resolve) => child.once('exit', resolve));
	/** Waits until as many servers have listened. */
	const listened = (count: number) =>
		within(
			`server ${count} to listen`,
			new Promise<void>((resolve) => {
				onLine = () => {
					if (lines.filter(({ url }) => url !== undefined).length >= count) resolve();
				};
				onLine();
			}),
		);
	await listened(1);
	const signal = (name: NodeJS.Signals) => process.kill(lines[0]?.pid ?? NaN, name);
	return {
		url: `http://127.0.0.1:${port}`,
		/** The first server stands still, as on a busy disk, for `ms`. */
		async freeze(ms: number) {
			signal('SIGSTOP');
			await setTimeout(ms);
			signal('SIGCONT');
		},
		/** Stops the first server, and waits for the second. */
		async restart() {
			signal('SIGTERM');
			await listened(2);
		},
		async close() {
			process.kill(-(child.pid ?? NaN), 'SIGKILL');
			await ended;
		},
	};
}
