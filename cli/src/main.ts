import { Command, CommanderError } from 'commander';

import packageJson from '../package.json';
import { readAccess } from './access';
import { askCommand } from './ask';
import { Client, type Tools } from './client';
import { EXIT, Failure } from './failure';
import { loginCommand } from './login';
import { runCommand } from './run';
import { badgeCommand, metricCommand, pushCommand, streamCommand } from './send';

const COMMANDS = [
	loginCommand,
	pushCommand,
	streamCommand,
	metricCommand,
	badgeCommand,
	askCommand,
	runCommand,
];

/** Characters that a terminal would interpret, or that change the order of a line: answers come from people. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());

const program = new Command('beckon')
	.description(packageJson.description)
	.version(packageJson.version)
	.option('--json', 'print the answer as JSON')
	.exitOverride();

const tools: Tools = {
	client: async (signal = stop.signal) => new Client(await readAccess(), signal),
	signal: stop.signal,
	print(line, json) {
		const text = program.opts()['json'] ? JSON.stringify(json) : line;
		process.stdout.write(`${text.replaceAll(UNPRINTABLE, '\ufffd')}\n`);
	},
};
for (const toCommand of COMMANDS) program.addCommand(toCommand(tools).exitOverride());

program.parseAsync().catch((error: unknown) => {
	process.exitCode = report(error);
});

/** Says what went wrong. */
function report(error: unknown): number {
	// Commander has printed its own.
	if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
	if (!(error instanceof Failure)) throw error;
	if (program.opts()['json'] && error.body !== undefined) {
		process.stdout.write(`${JSON.stringify(error.body)}\n`);
	}
	process.stderr.write(`beckon: ${error.message.replaceAll(UNPRINTABLE, '\ufffd')}\n`);
	return error.exitCode;
}
