import { Command, CommanderError, Option } from 'commander';

import packageJson from '../package.json';
import { readLogin, type Login } from './access';
import { askCommand } from './ask';
import { senderTo, type Send, type Settings, type Tools } from './client';
import { EXIT, Failure, printable, warn } from './failure';
import { listCommands } from './lists';
import { loginCommands } from './login';
import { readDuration } from './options';
import { runCommand } from './run';
import { sendCommands } from './send';

const COMMANDS = [...loginCommands, ...sendCommands, askCommand, runCommand, ...listCommands];

/** Before or after the name of the command. */
const toSettings = () => [
	new Option('--json', 'print the answer as JSON'),
	new Option('--timeout <time>', 'give up after this long, such as 10s').argParser(readDuration),
	new Option('--ca <file>', 'trust the certificate authorities in this file, too'),
];

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());

for (const output of [process.stdout, process.stderr]) {
	output.on('error', (error: NodeJS.ErrnoException) => {
		// A reader that has left, such as `head`, has what it wants.
		if (error.code === 'EPIPE') return;
		process.exitCode = EXIT.failed;
		if (output === process.stdout) warn(`Cannot write: ${error.message}`);
	});
}

const program = new Command('beckon')
	.description(packageJson.description)
	.version(packageJson.version)
	// What follows the name of a command belongs to it, and what follows that of a program to the program.
	.enablePositionalOptions()
	.configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'beckon:')) })
	.exitOverride();
const settings: Settings = {};

let sending: Promise<Send> | undefined;
const sendTo = (login: Login) => senderTo(login, stop.signal, settings);
const tools: Tools = {
	sendTo,
	send: async (call, how) => await (await (sending ??= readLogin().then(sendTo)))(call, how),
	settings,
	signal: stop.signal,
	print(text, json) {
		const printed = settings.json ? JSON.stringify(json) : text;
		if (printed !== '') process.stdout.write(`${printable(printed)}\n`);
	},
};
for (const toCommand of COMMANDS)
	program.addCommand(toCommand(tools).copyInheritedSettings(program));
for (const command of [program, ...program.commands]) {
	for (const option of toSettings()) command.addOption(option);
}
program.hook('preAction', (_program, command) => {
	Object.assign(settings, command.optsWithGlobals());
});

program
	.parseAsync()
	.catch((error: unknown) => {
		process.exitCode = report(error);
	})
	// Ends what still waits.
	.finally(() => stop.abort());

/** Says what went wrong. */
function report(error: unknown): number {
	// Commander has printed its own.
	if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
	// Such as of a file that cannot be read.
	const isOfSystem = error instanceof Error && 'syscall' in error;
	if (!(error instanceof Failure) && !isOfSystem) throw error;
	const { exitCode, known } = error instanceof Failure ? error : new Failure(error.message);
	if (settings.json && known.body !== undefined) console.log(JSON.stringify(known.body));
	warn(error.message);
	return exitCode;
}
