import { shownStore } from '../config.ts';
import { VERSION } from '../version.ts';
import { forgetAddress, recordAddress } from './address.ts';
import { migrationLine } from './migrate.ts';
import { type CommandData, COMMON, optional } from './commands.ts';
import { type CommonOptions, fail, loadConfig, print, publicUrl, setupLink } from './run.ts';

/**
 * Milliseconds requests and deliveries have to finish once the server is told to stop. Accepted work is stored,
 * so not waiting costs only time.
 */
const SHUTDOWN_TIMEOUT_MS = 4_000;

const NO_OWNER =
	'This account has no owner yet. Set it up with this link, which works once, within a day:';

async function run(options: CommonOptions): Promise<void> {
	let giveUp: () => void = () => process.exit(1);
	try {
		const config = loadConfig(options);
		// Half of the program, which other commands need not load.
		const { createLogger } = await import('../log.ts');
		const { startServer } = await import('../server.ts');
		const logger = createLogger(config);
		process.once('uncaughtException', (error) => {
			logger.fatal({ err: error }, 'uncaught exception, exiting');
			process.exit(1);
		});
		const server = await startServer(config, logger);
		// Before anything is printed: a supervisor waiting for the line may stop the server at once.
		const { url, migrated = null } = server;
		const data = shownStore(config);
		const running = { version: VERSION, data };
		logger.info({ ...running, url }, 'started');
		const stop = (code: number, isDrained = false) => {
			logger.info(running, 'stopping');
			forgetAddress(config);
			const drainMs = isDrained ? config.BECKON_DRAIN_SECONDS * 1_000 : 0;
			setTimeout(() => {
				const { closing, unstoredOutcomes: lost } = server;
				if (lost > 0)
					logger.error(
						`the outcomes of ${lost} called webhooks could not be stored; the phones that tapped have them, but the buttons can be tapped again`,
					);
				logger.warn(
					`stopping took longer than ${SHUTDOWN_TIMEOUT_MS / 1_000} s, still waiting for ${closing}; what was accepted is stored, and continues at the next start`,
				);
				process.exit(code);
			}, drainMs + SHUTDOWN_TIMEOUT_MS).unref();
			server.close(drainMs).then(
				() => process.exit(code),
				(error: unknown) => {
					fail(error, options);
					process.exit(1);
				},
			);
		};
		process.once('SIGINT', () => stop(0));
		process.once('SIGTERM', () => stop(0, true));
		giveUp = () => stop(1);
		recordAddress(config, url);
		const base = config.BECKON_PUBLIC_URL === '' ? url : publicUrl(config);
		const setup = server.setupToken === undefined ? null : setupLink(base, server.setupToken);
		const lines = [
			`Beckon listens on ${url}`,
			`  API      ${url}/api   (documentation: ${url}/api/docs)`,
			`  Console  ${url}/console`,
			`  Phone    ${url}/phone`,
			`  Data     ${data}`,
			...(migrated ? [`           ${migrationLine(migrated)}`] : []),
			...(setup === null ? [] : ['', NO_OWNER, `  ${setup}`]),
		];
		print({ json: { url, data, setup_link: setup, migrated }, lines }, options);
	} catch (error) {
		fail(error, options);
		giveUp();
	}
}

export const start: CommandData = {
	about: 'start the server',
	options: {
		...COMMON,
		port: optional('--port <n>', 'port to listen on (setting BECKON_PORT)'),
		host: optional('--host <h>', 'address to listen on (setting BECKON_HOST)'),
	},
	run,
};
