import { type Config, ConfigError, readConfig, toStoreLocation } from '../config.ts';
import { createContext, openGateways } from '../assembly.ts';
import type { Gateways } from '../delivery/choose-gateway.ts';
import { type ActingContext, COMMAND_LINE } from '../service/audit.ts';
import { Refusal, type StorageFailure, toStorageFailure } from '../service/refusal.ts';
import { openDatabase } from '../store/open.ts';
import { errorCode, StoreUnusableError } from '../store/errors.ts';
import { recordedAddress } from './address.ts';
import { readEnvironment } from './environment.ts';

export interface CommonOptions {
	data?: string | undefined;
	host?: string | undefined;
	port?: string | undefined;
	json?: boolean | undefined;
	/** The argument of a command that takes one: `show <id>`. */
	id?: string | undefined;
}

/** A command's output: one JSON value for scripts, lines for people. */
export interface Output {
	json: unknown;
	lines: readonly string[];
}

/** The settings of the environment and of this machine's service, overridden by the command line. */
export function loadConfig(options: CommonOptions): Config {
	const { data, host, port } = options;
	return readConfig({
		...readEnvironment(),
		...(data !== undefined && { BECKON_DATA: data }),
		...(host !== undefined && { BECKON_HOST: host }),
		...(port !== undefined && { BECKON_PORT: port }),
	});
}

/** The server's public address; the links that commands print begin with it. */
export function publicUrl(config: Config): string {
	if (config.BECKON_PUBLIC_URL !== '') return config.BECKON_PUBLIC_URL;
	const recorded = recordedAddress(config);
	if (recorded !== undefined) return recorded;
	const host = ['0.0.0.0', '::'].includes(config.BECKON_HOST) ? 'localhost' : config.BECKON_HOST;
	return `http://${host.includes(':') ? `[${host}]` : host}:${config.BECKON_PORT}`;
}

/** Quoted, if needed, as one word for a shell. */
function quoted(value: string): string {
	return /^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/**
 * What to do before a printed link will open.
 * @returns undefined if a server runs on this data, or one may run on the database
 */
export function startAdvice(config: Config, options: CommonOptions): string | undefined {
	if (config.BECKON_DATABASE_URL !== '' || recordedAddress(config) !== undefined) return undefined;
	const given = (['data', 'host', 'port'] as const)
		.filter((name) => options[name] !== undefined)
		.map((name) => ` --${name} ${quoted(options[name] ?? '')}`);
	return `No server runs on this data. Start it, then open the link: beckon-server start${given.join('')}`;
}

/**
 * The link that makes one person the owner of an account; the secret is in the fragment, which
 * browsers never send.
 */
export function setupLink(base: string, token: string): string {
	return `${base}/console#setup=${token}`;
}

const notOfThisMachine = ({ BECKON_HOST: host }: Config) =>
	`${host} is not an address of this machine. Choose another with --host.`;

/** Keyed by the system call, if any, and the error code. */
const SYSTEM_ERRORS: Record<string, (config: Config) => string> = {
	'listen EADDRINUSE': ({ BECKON_HOST: host, BECKON_PORT: port }) =>
		`Port ${port} on ${host} is in use by another program. Choose another with --port.`,
	'listen EACCES': ({ BECKON_HOST: host, BECKON_PORT: port }) =>
		`This user is not allowed to listen on port ${port} of ${host}. Choose a port above 1023 with --port.`,
	'listen EADDRNOTAVAIL': notOfThisMachine,
	'getaddrinfo ENOTFOUND': notOfThisMachine,
	SQLITE_CORRUPT: () => 'The data is damaged. Stop the server, and run: beckon-server restore',
};

const STORE_ADVICE: Record<StorageFailure, string> = {
	unavailable:
		'Another program may have locked it, its disk may be full, or it cannot be reached. Fix that, then run the command again.',
	uncertain: 'The change may have been stored: check before you run the command again.',
};

/** Errors whose message is for the person who typed the command. */
const FOR_PEOPLE = [ConfigError, StoreUnusableError, Refusal];

/** An error as a line with advice; undefined for an unexpected error. */
function formatError(error: unknown, options: CommonOptions): string | undefined {
	if (error instanceof Error && FOR_PEOPLE.some((kind) => error instanceof kind))
		return error.message;
	const failure = toStorageFailure(error);
	if (failure !== undefined)
		return `The store failed: ${error instanceof Error ? error.message : String(error)}. ${STORE_ADVICE[failure]}`;
	const { syscall = '' } = error as { syscall?: string };
	return SYSTEM_ERRORS[`${syscall} ${errorCode(error)}`.trim()]?.(loadConfig(options));
}

/** Prints the reason for a failed command and makes the process exit with code 1. */
export function fail(error: unknown, options: CommonOptions): void {
	const line =
		formatError(error, options) ??
		`Unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
	const json = { error: 'failed', message: line };
	print({ json, lines: line.split('\n') }, options, 'stderr');
	process.exitCode = 1;
}

/** Characters that a terminal would interpret, or that change the display order of a line. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Replaces characters that could deceive: titles and names come from people. */
function printable(line: string): string {
	return line.replaceAll(UNPRINTABLE, '\ufffd');
}

/** One line; escapes characters valid in JSON that a terminal would interpret. */
function printableJson(value: unknown): string {
	const escape = (character: string) =>
		`\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	return JSON.stringify(value).replaceAll(UNPRINTABLE, escape);
}

export function print(
	{ json, lines }: Output,
	options: CommonOptions,
	to: 'stdout' | 'stderr' = 'stdout',
): void {
	const printed = options.json ? [printableJson(json)] : lines.map(printable);
	process[to].write(printed.map((line) => `${line}\n`).join(''));
}

/**
 * Runs a command on the store, which running servers may also have open.
 * @param command gets the settings, and the push services
 * @param creates whether to create a missing store
 */
export async function onData(
	options: CommonOptions,
	command: (context: ActingContext, config: Config, gateways: Gateways) => Promise<Output>,
	creates = false,
): Promise<void> {
	const config = loadConfig(options);
	const database = await openDatabase(toStoreLocation(config), { mustExist: !creates });
	const gateways = openGateways(config, database);
	const context = createContext({
		config,
		database,
		gateways,
		onError: (error, what) => process.stderr.write(`${what}: ${String(error)}\n`),
	});
	try {
		print(await command({ ...context, actor: COMMAND_LINE }, config, gateways), options);
	} finally {
		await context.outbox.stop();
		gateways.apns?.close();
		gateways.webPush.close();
		await database.close();
	}
}
