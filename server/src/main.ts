import { Command } from 'commander';
import { account, user } from './cli/accounts.ts';
import { backup } from './cli/backup.ts';
import { channel } from './cli/channels.ts';
import { check } from './cli/check.ts';
import { addCommands } from './cli/commands.ts';
import { device } from './cli/devices.ts';
import { history } from './cli/history.ts';
import { key } from './cli/keys.ts';
import { metric } from './cli/metrics.ts';
import { migrate } from './cli/migrate.ts';
import { migrateData } from './cli/migrate-data.ts';
import { start } from './cli/start.ts';
import { stream } from './cli/streams.ts';
import { VERSION } from './version.ts';

const program = new Command('beckon-server')
	.description('Sends what a workflow knows to the phones you pair. Settings: docs/operations.md')
	.version(VERSION);

addCommands(program, {
	...{ start, account, user, key, channel, device, metric, stream, history, check, backup },
	...{ migrate, 'migrate-data': migrateData },
});

await program.parseAsync();
