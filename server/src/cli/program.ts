import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { account, user } from './accounts.ts';
import { backup, restore } from './backup.ts';
import { channel } from './channels.ts';
import { check, webPushKey } from './check.ts';
import { addCommands } from './commands.ts';
import { doctor } from './doctor.ts';
import { device } from './devices.ts';
import { history } from './history.ts';
import { key } from './keys.ts';
import { metric } from './metrics.ts';
import { migrate } from './migrate.ts';
import { migrateData } from './migrate-data.ts';
import { start } from './start.ts';
import { unit } from './unit.ts';

/**
 * The program with all of its commands.
 * @param program commander's, with settings of its own, such as `exitOverride`, which the commands inherit
 */
export function toProgram(program = new Command()): Command {
	program
		.name('beckon-server')
		.description('Sends what your workflows report or ask to phones. Settings: docs/operations.md')
		.version(VERSION);
	addCommands(program, {
		...{ start, account, user, key, channel, device, metric, history, check, doctor },
		...{ backup, restore, unit, 'web-push-key': webPushKey, migrate, 'migrate-data': migrateData },
	});
	return program;
}
