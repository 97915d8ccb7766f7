import { Command, CommanderError, Option } from 'commander';

import packageJson from '../package.json';
import { ask } from './ask';
import { EXIT, Failure, warn } from './failure';
import { listCommands } from './lists';
import { loginCommands } from './login';
import { readDuration } from './options';
import { run } from './run';
import { sendCommands } from './send';
import { settings, stop } from './settings';

const COMMANDS = [...loginCommands, ...sendCommands, ask, run, ...listCommands];

/** Accepted before and after the name of the command. */
const SETTINGS = [
	new Option('--json', 'print the answer as JSON'),
	new Option('--timeout <time>', 'longest wait for the server, as 10s').argParser(readDuration),
	new Option('--ca <file>', 'trust the certificate authorities in this file, too'),
];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());

for (const output of [process.stdout, process.stderr]) {
	output.on('error', (error: NodeJS.ErrnoException) => {
		// A reader that closed the pipe, such as `head`, has what it needs.
		if (error.code === 'EPIPE') return;
		process.exitCode = EXIT.failed;
		if (output === process.stdout) warn(`Cannot write: ${error.message}`);
	});
}

const program = new Command('beckon')
	.description(packageJson.description)
	.version(packageJson.version)
	// Options after a command's name belong to that command, and those after the program of `run` to the program.
	.enablePositionalOptions()
	.configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'beckon:')) })
	.exitOverride();
for (const command of COMMANDS) program.addCommand(command.copyInheritedSettings(program));
for (const command of [program, ...program.commands])
	for (const option of SETTINGS) command.addOption(option);
program.hook('preAction', (_program, command) => {
	Object.assign(settings, command.optsWithGlobals());
});

// Whatever still waits at the end is aborted.
program
	.parseAsync()
	.catch(report)
	.finally(() => stop.abort());

/** Prints what went wrong, and sets the exit code. */
function report(error: unknown): void {
	if (error instanceof CommanderError) {
		// Commander has already printed its error.
		process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
		return;
	}
	// For example, a file that cannot be read.
	const isOfSystem = error instanceof Error && 'syscall' in error;
	if (!(error instanceof Failure) && !isOfSystem) throw error;
	const { exitCode, known } = error instanceof Failure ? error : new Failure(error.message);
	if (settings.json && known.body !== undefined) console.log(JSON.stringify(known.body));
	warn(error.message);
	process.exitCode = exitCode;
}
