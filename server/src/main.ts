import { Command } from 'commander';
import { addAccountCommands } from './cli/accounts.ts';
import { addBackup } from './cli/backup.ts';
import { addCheckCommands } from './cli/check.ts';
import { addChannelCommands } from './cli/channels.ts';
import { addDeviceCommands } from './cli/devices.ts';
import { addHistoryCommands } from './cli/history.ts';
import { addKeyCommands } from './cli/keys.ts';
import { addMetricCommands } from './cli/metrics.ts';
import { addMigrateData } from './cli/migrate-data.ts';
import { addStart } from './cli/start.ts';
import { addStreamCommands } from './cli/streams.ts';
import { VERSION } from './version.ts';

const program = new Command('beckon-server')
	.description(
		'Puts what a workflow knows onto the phones that you pair. Settings: docs/operations.md',
	)
	.version(VERSION);

addStart(program);
addAccountCommands(program);
addKeyCommands(program);
addChannelCommands(program);
addDeviceCommands(program);
addMetricCommands(program);
addStreamCommands(program);
addHistoryCommands(program);
addCheckCommands(program);
addBackup(program);
addMigrateData(program);

await program.parseAsync();
