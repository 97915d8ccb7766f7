import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface NpmOptions {
	cwd: string;
	/** Ends npm after that long, so that a registry that does not answer cannot hang a test run. */
	minutes: number;
	/** Where npm's progress goes; what it prints as its result is always returned. */
	progress?: 'shown' | 'hidden';
}

/** The npm that runs this script, on the Node that runs this script; otherwise the one in the path. */
function commandLine(args: readonly string[]): [string, string[]] {
	const npm = process.env['npm_execpath'];
	return npm?.endsWith('.js') === true ? [process.execPath, [npm, ...args]] : ['npm', [...args]];
}

/**
 * Runs npm and returns what it printed as its result.
 * @throws with npm's own words when it fails or takes too long
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
