import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface NpmOptions {
	cwd: string;
	/** Ends npm after this long, so an unresponsive registry cannot hang a test run. */
	minutes: number;
	/** The destination of npm's progress output; its result is always returned. */
	progress?: 'shown' | 'hidden';
}

/** The npm and the Node that run this script; otherwise the npm in the path. */
function commandLine(args: readonly string[]): [string, string[]] {
	const npm = process.env['npm_execpath'];
	return npm?.endsWith('.js') === true ? [process.execPath, [npm, ...args]] : ['npm', [...args]];
}

/**
 * Runs npm and returns its result as printed.
 * @throws with npm's own words if it fails or takes too long
 */
export async function npm(
	args: readonly string[],
	{ cwd, minutes, progress = 'hidden' }: NpmOptions,
): Promise<string> {
	const child = spawn(...commandLine(args), {
		cwd,
		stdio: ['ignore', 'pipe', 'pipe'],
		timeout: minutes * 60_000,
	});
	let result = '';
	let errors = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => (result += text));
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		errors += text;
		if (progress === 'shown') process.stderr.write(text);
	});
	const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
	if (code === 0) return result;
	const reason = signal === null ? `exit code ${code}` : `ended after ${minutes} minutes`;
	throw new Error(`npm ${args.join(' ')} in ${cwd} failed (${reason}):\n${errors.slice(-4_000)}`);
}
