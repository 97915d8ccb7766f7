import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandData, optional, type Values } from './commands.ts';

const options = {
	socket: optional<boolean>('--socket', 'the unit that keeps the port open during restarts'),
};

/** Prints a unit as it is, except for where this program is. */
function run(given: object): Promise<void> {
	const { socket = false } = given as Values<typeof options>;
	const file = join(import.meta.dirname, socket ? 'beckon.socket' : 'beckon.service');
	const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
	// The unit hides home directories.
	if (!socket && program.some((path) => /^\/(home|root)\//.test(path)))
		process.stderr.write(
			`The service could not read ${program.join(' ')}: install Node.js and beckon-server outside of home directories.\n`,
		);
	const unit = readFileSync(file, 'utf8');
	process.stdout.write(unit.replace('/usr/bin/env beckon-server', program.join(' ')));
	return Promise.resolve();
}

export const unit: CommandData = {
	about: 'print a systemd unit that starts this server and keeps its data in /var/lib/beckon',
	options,
	run,
};
