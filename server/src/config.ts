import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { wholeRule } from './contract/common.ts';
import type { StoreLocation } from './store/open.ts';
import { isPostgresUrl, shownUrl } from './store/engine/postgres/url.ts';

/** A mistake in the settings, worded for the person starting the server; one line each. */
export class ConfigError extends Error {}

const flag = z
	.enum(['true', 'false'], 'must be true or false')
	.transform((value) => value === 'true');

function whole(min: number, max: number) {
	const rule = wholeRule(min, max);
	return z
		.string()
		.regex(/^\d+$/, rule)
		.transform(Number)
		.refine((value) => value >= min && value <= max, rule);
}

/** Entries separated by commas. */
export const entries = z.string().transform((value) =>
	value
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== ''),
);

const postgresUrl = z.string().refine((value) => value === '' || isPostgresUrl(value), {
	error: 'must be the address of a PostgreSQL database',
});

const text = z.string().min(1, 'must not be empty');

/** An address, or a range such as 10.0.0.0/8; a range of all addresses would trust anyone. */
function isAddressRange(entry: string): boolean {
	const [address = '', prefix, ...rest] = entry.split('/');
	const bits = { 4: 32, 6: 128 }[isIP(address)];
	if (bits === undefined || rest.length > 0) return false;
	return (
		prefix === undefined ||
		(/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits)
	);
}

const addressRanges = entries.refine((ranges) => ranges.every(isAddressRange), {
	error: (issue) =>
		`must be IP addresses or CIDR ranges such as 10.0.0.0/8, separated by commas, not ${(issue.input as string[]).filter((entry) => !isAddressRange(entry)).join(', ')}`,
});

const readableFile = z.string().refine((file) => file === '' || isReadable(file), {
	error: (issue) => `names a file that cannot be read: ${String(issue.input)}`,
});

function isReadable(file: string): boolean {
	try {
		accessSync(file, constants.R_OK);
		return true;
	} catch {
		return false;
	}
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https URL' });

const appleId = z
	.string()
	.regex(/^([A-Z0-9]{10})?$/, 'must be the ten characters that Apple gives');

/**
 * @param fallback as written in the environment
 * @param example a valid value, shown to anyone who has set an invalid one
 */
function setting<S extends z.ZodType>(
	schema: S,
	fallback: string,
	help: string,
	example = fallback,
) {
	return { schema, fallback, help, example };
}

/** How many requests are allowed in a window. */
const rate = (fallback: string, help: string) => setting(whole(1, 10_000_000), fallback, help);

/**
 * Every setting, once: its environment variable, rule, default and explanation. docs/operations.md lists the
 * same, and a test keeps the two in step.
 */
export const SETTINGS = {
	BECKON_DATA: setting(
		text,
		'./beckon-data',
		'Folder for the database, unless `BECKON_DATABASE_URL` names one. Created if it does not exist.',
	),
	BECKON_DATABASE_URL: setting(
		postgresUrl,
		'',
		'PostgreSQL database that several servers may share, as `postgres://user:password@host/name`, or over a socket as `postgres://user@/name?host=/run/postgresql`. Empty: the data is in the folder `BECKON_DATA`.',
		'postgres://beckon:password@db.example.com/beckon',
	),
	BECKON_DATABASE_LISTEN_URL: setting(
		postgresUrl,
		'',
		'The same database past a connection pooler in transaction mode, for what such a pooler cannot do: LISTEN and migrations. Empty: `BECKON_DATABASE_URL` keeps sessions.',
		'postgres://beckon:password@db.example.com:5432/beckon',
	),
	BECKON_DATABASE_POOL_SIZE: setting(
		whole(2, 1_000),
		'10',
		'Most connections of one server to PostgreSQL, besides the one that listens.',
	),
	BECKON_MIGRATE_ON_START: setting(
		flag,
		'false',
		'`true` lets `start` migrate a PostgreSQL database that an older version wrote, also while servers of that version run. It always migrates the folder `BECKON_DATA`.',
	),
	BECKON_HOST: setting(
		text,
		'127.0.0.1',
		'Address to listen on. `0.0.0.0` listens on every IPv4 address.',
	),
	BECKON_PORT: setting(
		whole(0, 65_535),
		'8787',
		'Port to listen on. `0` picks a free one and prints it.',
	),
	BECKON_DRAIN_SECONDS: setting(
		whole(0, 60),
		'1',
		'Seconds for which a server told to stop still answers, while `GET /readyz` fails and each answer closes its connection. Behind a load balancer, set this longer than the interval of its health checks.',
	),
	BECKON_PUBLIC_URL: setting(
		url
			.refine(
				(address) => /^https?:\/\/[^/?#]+\/*$/.test(address),
				'must have no path: its pages are at the root. Give Beckon a host name of its own',
			)
			.or(z.literal(''))
			.transform((address) => address.replace(/\/+$/, '')),
		'',
		'URL at which people and phones reach the server, for the links that commands print and for pictures, which need https. It has no path: the pages are at the root of a host. Empty: the address it listens on.',
		'https://beckon.example.com',
	),
	BECKON_TRUSTED_PROXIES: setting(
		addressRanges,
		'',
		'Addresses or CIDR ranges, separated by commas, of proxies whose `X-Forwarded-For` is trusted.',
		'127.0.0.1,10.0.0.0/8',
	),
	BECKON_LOG_LEVEL: setting(
		z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
		'info',
		'Level of the log on standard error, in JSON lines: fatal, error, warn, info, debug or silent.',
	),
	BECKON_METRICS_PORT: setting(
		z.union([whole(0, 65_535), z.literal('')], wholeRule(0, 65_535)),
		'',
		'Port that serves `GET /metrics` for Prometheus. `0` picks a free one and logs it. Empty: no metrics.',
		'9787',
	),
	BECKON_METRICS_HOST: setting(
		text,
		'127.0.0.1',
		'Address that serves the metrics. There is no authentication: do not expose it to the public.',
	),
	BECKON_RATE_WINDOW_SECONDS: setting(
		whole(1, 3_600),
		'60',
		'Length of a rate-limit window in seconds.',
	),
	BECKON_RATE_PER_ADDRESS: rate('600', 'Requests from one client address per feature and window.'),
	BECKON_RATE_NOTIFICATIONS: rate('60', 'Pushes of one account per window.'),
	BECKON_RATE_BADGES: rate('60', 'Badge updates of one account per window.'),
	BECKON_RATE_LIVE_ACTIVITIES: rate('300', 'Live Activity requests of one account per window.'),
	BECKON_RATE_METRICS: rate('300', 'Metric values of one account per window.'),
	BECKON_RATE_LISTS: rate(
		'60',
		'Requests of one account per window for lists of channels, phones, metrics and Live Activities.',
	),
	BECKON_RATE_IMAGES: rate('30', 'Pictures that one account may store per window.'),
	BECKON_RATE_QUESTIONS: rate(
		'300',
		'Requests of one account per window that read, answer or withdraw questions. Asking counts as a push.',
	),
	BECKON_RATE_TRIGGERS: rate(
		'3000',
		'Requests per window from all workflows of one account that buttons start.',
	),
	BECKON_RATE_MCP: rate(
		'300',
		'Tool calls of one account’s agents per window; each also counts as the request that it makes.',
	),
	BECKON_QUESTIONS_OPEN: setting(whole(1, 100_000), '500', 'Most open questions of one account.'),
	BECKON_QUESTION_WAITS: setting(
		whole(1, 10_000),
		'60',
		'Requests of one key that may wait for answers at the same time, on each server.',
	),
	BECKON_RATE_PER_DEVICE: rate(
		'600',
		'Requests of one phone per window, its event streams included.',
	),
	BECKON_ROTATION_AGE_SECONDS: setting(
		whole(1, 28_800),
		'27900',
		"Age at which a Live Activity's next update starts a new activity; iOS ends one after 8 hours (28800).",
	),
	BECKON_HISTORY_DAYS: setting(
		whole(0, 36_500),
		'365',
		'Days for which the history is kept; older entries are deleted hourly. `0` keeps everything.',
	),
	BECKON_FIRST_ATTEMPT_MS: setting(
		whole(0, 60_000),
		'2000',
		'How long a request waits for the first delivery attempts before it is answered, in milliseconds.',
	),
	BECKON_WEBHOOK_ALLOW_PRIVATE: setting(
		flag,
		'false',
		'`true` lets webhook buttons use http and reach private addresses, such as an n8n on the same machine.',
	),
	BECKON_MCP: setting(
		flag,
		'true',
		'`false` turns off `/mcp`, where agents use the API as tools (Model Context Protocol).',
	),
	BECKON_WEBHOOK_OPEN_PER_ACCOUNT: setting(
		whole(1, 1_000),
		'10',
		'Webhook calls that one account may have open at a time.',
	),
	BECKON_UPGRADE_URL: setting(
		url,
		'https://github.com/beckon-dev/beckon',
		'Page for accounts whose plan is exhausted, as `upgrade_url` in 402 answers.',
	),
	BECKON_APNS_KEY_FILE: setting(
		readableFile,
		'',
		"File with the key (.p8) that identifies the server to Apple's push service. Empty: no push to iPhones.",
		'/etc/beckon/AuthKey_ABC123DEFG.p8',
	),
	BECKON_APNS_KEY_ID: setting(appleId, '', 'Id of that key: ten characters.', 'ABC123DEFG'),
	BECKON_APNS_TEAM_ID: setting(
		appleId,
		'',
		'Id of the Apple developer team: ten characters.',
		'DEF123GHIJ',
	),
	BECKON_APNS_BUNDLE_ID: setting(z.string(), '', 'Bundle id of the iPhone app.', 'com.example.app'),
	BECKON_APNS_ACTIVITY_TYPE: setting(
		text,
		'BeckonActivityAttributes',
		"Name of the app's Live Activity attributes type, for activities that a push starts.",
	),
	BECKON_APNS_URL: setting(
		httpsUrl,
		'https://api.push.apple.com',
		"Apple's push service for apps from the App Store and TestFlight.",
	),
	BECKON_APNS_SANDBOX_URL: setting(
		httpsUrl,
		'https://api.sandbox.push.apple.com',
		"Apple's push service for apps started from Xcode.",
	),
	BECKON_APNS_CHANNELS_URL: setting(
		httpsUrl,
		'https://api-manage-broadcast.push.apple.com:2196',
		'Where Apple manages the channels over which phones get updates of Live Activities.',
	),
	BECKON_APNS_SANDBOX_CHANNELS_URL: setting(
		httpsUrl,
		'https://api-manage-broadcast.sandbox.push.apple.com:2195',
		'The same for apps started from Xcode.',
	),
	BECKON_APNS_CA_FILE: setting(
		readableFile,
		'',
		'Certificate authorities (PEM) to trust at these addresses in addition to the known ones.',
		'/etc/beckon/ca.pem',
	),
	BECKON_WIDGET_RELOAD_SECONDS: setting(
		whole(1, 86_400),
		'300',
		"Minimum seconds between two reloads of an iPhone's widgets after metrics have changed.",
	),
	BECKON_WEB_PUSH_ALLOW_PRIVATE: setting(
		flag,
		'false',
		'`true` lets a browser use a push service at a private address or over http, such as one that you host.',
	),
	BECKON_WEB_PUSH_CONTACT: setting(
		z.string().regex(/^(mailto:.+@.+|https:\/\/.+)$/, 'must be a mailto: or https: URL'),
		'https://github.com/beckon-dev/beckon',
		'Where browsers’ push services can contact the operator: a mailto: or https: URL.',
	),
};

const APNS_SETTINGS = [
	'BECKON_APNS_KEY_FILE',
	'BECKON_APNS_KEY_ID',
	'BECKON_APNS_TEAM_ID',
	'BECKON_APNS_BUNDLE_ID',
] as const;

/** Variables of clients on the same machine: of the command `beckon`, and of agents. */
const OF_CLIENTS = ['BECKON_URL', 'BECKON_API_KEY', 'BECKON_SENDER_KEY'];

/** Kubernetes sets these for every Service whose name begins with beckon, and `…_PORT` to an address. */
const OF_KUBERNETES = /_SERVICE_(HOST|PORT\w*)$|_PORT_\d+_(TCP|UDP|SCTP)/;
const ADDRESS_OF_KUBERNETES = /^(tcp|udp|sctp):\/\//;

type SettingName = keyof typeof SETTINGS;
export type Config = { [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']> };

/**
 * The settings of this environment, with defaults filled in.
 * @throws ConfigError naming all wrong and unknown BECKON_ variables at once
 */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): Config {
	const environment = Object.fromEntries(
		Object.entries(variables).filter(
			([name, value = '']) => !OF_KUBERNETES.test(name) && !ADDRESS_OF_KUBERNETES.test(value),
		),
	);
	const mistakes = Object.keys(environment)
		.filter((name) => name.startsWith('BECKON_') && !(name in SETTINGS))
		.filter((name) => !OF_CLIENTS.includes(name))
		.map((name) => `${name} is not a Beckon setting; see docs/operations.md.`);
	const config: Record<string, unknown> = {};
	for (const [name, { schema, fallback, example }] of Object.entries(SETTINGS)) {
		const parsed = schema.safeParse(environment[name] ?? fallback);
		if (parsed.success) config[name] = parsed.data;
		else
			mistakes.push(
				`${name} ${parsed.error.issues[0]?.message ?? 'is wrong'}. Example: ${name}=${example}`,
			);
	}
	const missing = APNS_SETTINGS.filter((name) => !environment[name]);
	if (missing.length > 0 && missing.length < APNS_SETTINGS.length) {
		mistakes.push(
			`${missing.join(', ')} must be set too, for push to iPhones. Example: ${missing
				.map((name) => `${name}=${SETTINGS[name].example}`)
				.join(' ')}`,
		);
	}
	if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
	return config as Config;
}

export function toStoreLocation({
	BECKON_DATA: directory,
	BECKON_DATABASE_URL: url,
	BECKON_DATABASE_LISTEN_URL: listenUrl,
	BECKON_DATABASE_POOL_SIZE: poolSize,
}: Config): StoreLocation {
	return { directory, url, listenUrl, poolSize };
}

/** The location of the data, safe to show: without a password. */
export function shownStore({ BECKON_DATA: directory, BECKON_DATABASE_URL: url }: Config): string {
	return url === '' ? directory : shownUrl(url);
}
