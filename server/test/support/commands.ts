import { createInterface } from 'node:readline';
import { runCli, seed } from './process.ts';

/**
 * Runs the commands on the standard input, each a line of JSON, one after the other, and prints what each has ended with.
 * For the tests of the node package, which are compiled without the server: a process of its own takes each command a
 * second of CPU. `seed` makes the account `demo`.
 */
for await (const line of createInterface({ input: process.stdin })) {
	const { args, settings } = JSON.parse(line) as {
		args: string[];
		settings: Record<string, string>;
	};
	const ended =
		args[0] === 'seed'
			? { code: 0, stdout: JSON.stringify(await seed(undefined, settings)), stderr: '' }
			: await runCli([...args, '--json'], settings);
	process.stdout.write(`${JSON.stringify(ended)}\n`);
}
