import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { wholeRule } from './contract/common.ts';
import { isPostgresUrl } from './store/engine/postgres/url.ts';

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

const DATABASE_EXAMPLE = 'postgres://beckon:password@db.example.com/beckon';

const text = z.string().min(1, 'must not be empty');

/** An address, or a range such as 10.0.0.0/8; a range of all addresses would trust anyone. */
function isAddressRange(entry: string): boolean {
	const [address = '', prefix = '1', ...rest] = entry.split('/');
	const bits = { 4: 32, 6: 128 }[isIP(address)] ?? 0;
	const isPrefix = /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits;
	return isPrefix && rest.length === 0;
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
		readFileSync(file);
		return true;
	} catch {
		return false;
	}
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https URL' });

const appleId = z.string().regex(/^([A-Z0-9]{10})?$/, 'must be a ten-character id from Apple');

/**
 * @param fallback as written in the environment
 * @param example a valid value, shown to anyone who has set an invalid one
 */
const setting = <S extends z.ZodType>(schema: S, fallback: string, example = fallback) => ({
	schema,
	fallback,
	example,
});

/** How many requests are allowed in a window. */
const rate = (fallback: string) => setting(whole(1, 10_000_000), fallback);

/**
 * Every setting, once: its environment variable, rule, default and, as its comment, its meaning, which `npm run docs`
 * copies to docs/operations.md.
 */
export const SETTINGS = {
	/** Folder for the database, unless `BECKON_DATABASE_URL` names one. Created if it does not exist. */
	BECKON_DATA: setting(text, './beckon-data'),
	/**
	 * PostgreSQL database that several servers may share, as `postgres://user:password@host/name`, or over a socket as
	 * `postgres://user@/name?host=/run/postgresql`. Empty: the data is in the folder `BECKON_DATA`.
	 */
	BECKON_DATABASE_URL: setting(postgresUrl, '', DATABASE_EXAMPLE),
	/**
	 * The same database, bypassing a connection pooler in transaction mode, for LISTEN and migrations. Empty:
	 * `BECKON_DATABASE_URL` supports sessions.
	 */
	BECKON_DATABASE_LISTEN_URL: setting(postgresUrl, '', DATABASE_EXAMPLE),
	/** Maximum connections of one server to PostgreSQL, besides the one that listens. */
	BECKON_DATABASE_POOL_SIZE: setting(whole(2, 1_000), '10'),
	/**
	 * `true` lets `start` migrate a PostgreSQL database that an older version wrote, also while servers of that version
	 * run. It always migrates the folder `BECKON_DATA`.
	 */
	BECKON_MIGRATE_ON_START: setting(flag, 'false'),
	/** Address to listen on. `0.0.0.0` listens on every IPv4 address. */
	BECKON_HOST: setting(text, '127.0.0.1'),
	/** Port to listen on. `0` picks a free one and prints it. */
	BECKON_PORT: setting(whole(0, 65_535), '8787'),
	/**
	 * Seconds for which a stopping server still responds, while `GET /readyz` fails and each response closes its
	 * connection. Behind a load balancer, set this longer than the interval of its health checks.
	 */
	BECKON_DRAIN_SECONDS: setting(whole(0, 60), '3'),
	/**
	 * URL at which people and phones reach the server, for the links that commands print and for pictures, which need
	 * https. It has no path: the pages are at the root of a host. Empty: the address it listens on.
	 */
	BECKON_PUBLIC_URL: setting(
		url
			.refine(
				(address) => /^https?:\/\/[^/?#]+\/*$/.test(address),
				'must have no path: its pages are at the root. Give Beckon a host name of its own',
			)
			.or(z.literal(''))
			.transform((address) => address.replace(/\/+$/, '')),
		'',
		'https://beckon.example.com',
	),
	/** Addresses or CIDR ranges, separated by commas, of proxies whose `X-Forwarded-For` is trusted. */
	BECKON_TRUSTED_PROXIES: setting(addressRanges, '', '127.0.0.1,10.0.0.0/8'),
	/** Level of the log on standard error, in JSON lines: fatal, error, warn, info, debug or silent. */
	BECKON_LOG_LEVEL: setting(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`), 'info'),
	/** Port that serves `GET /metrics` for Prometheus. `0` picks a free one and logs it. Empty: no metrics. */
	BECKON_METRICS_PORT: setting(
		z.union([whole(0, 65_535), z.literal('')], wholeRule(0, 65_535)),
		'',
		'9787',
	),
	/** Address that serves the metrics. There is no authentication: do not expose it to the public. */
	BECKON_METRICS_HOST: setting(text, '127.0.0.1'),
	/** Length of a rate-limit window in seconds. */
	BECKON_RATE_WINDOW_SECONDS: setting(whole(1, 3_600), '60'),
	/** Requests from one client address per feature and window. */
	BECKON_RATE_PER_ADDRESS: rate('600'),
	/** Pushes of one account per window. */
	BECKON_RATE_NOTIFICATIONS: rate('60'),
	/** Badge updates of one account per window. */
	BECKON_RATE_BADGES: rate('60'),
	/** Live Activity requests of one account per window. */
	BECKON_RATE_LIVE_ACTIVITIES: rate('300'),
	/** Metric values of one account per window. */
	BECKON_RATE_METRICS: rate('300'),
	/** Requests of one account per window for lists of channels, phones, metrics and Live Activities. */
	BECKON_RATE_LISTS: rate('60'),
	/** Pictures that one account may store per window. */
	BECKON_RATE_IMAGES: rate('30'),
	/** Requests of one account per window that read, answer or withdraw questions. Asking counts as a push. */
	BECKON_RATE_QUESTIONS: rate('300'),
	/** Requests per window from all of an account's button-started workflows. */
	BECKON_RATE_TRIGGERS: rate('3000'),
	/** Tool calls of one account’s agents per window; each also counts as the request that it makes. */
	BECKON_RATE_MCP: rate('300'),
	/** Maximum open questions of one account. */
	BECKON_QUESTIONS_OPEN: setting(whole(1, 100_000), '500'),
	/** Requests of one key that may wait for answers at the same time, on each server. */
	BECKON_QUESTION_WAITS: setting(whole(1, 10_000), '60'),
	/** Requests of one phone per window, its event streams included. */
	BECKON_RATE_PER_DEVICE: rate('600'),
	/** Age at which a Live Activity's next update starts a new activity; iOS ends one after 8 hours (28800). */
	BECKON_ROTATION_AGE_SECONDS: setting(whole(1, 28_800), '27900'),
	/** Days for which the history is kept; older entries are deleted hourly. `0` keeps everything. */
	BECKON_HISTORY_DAYS: setting(whole(0, 36_500), '365'),
	/** Milliseconds that a request waits for the first delivery attempts before its response. */
	BECKON_FIRST_ATTEMPT_MS: setting(whole(0, 60_000), '2000'),
	/** Folder for a verified nightly copy of the embedded store. Empty: no backups. Not used with PostgreSQL. */
	BECKON_BACKUP_DIR: setting(z.string(), '', '/var/lib/beckon/backups'),
	/** How many of these copies are kept. */
	BECKON_BACKUP_KEEP: setting(whole(1, 1_000), '7'),
	/**
	 * Account whose owners get a push when a push service, callbacks, backups or the disk have failed for an hour, and
	 * when it recovers. Empty: nobody is alerted.
	 */
	BECKON_ALERT_ACCOUNT: setting(z.string(), '', 'home'),
	/** `true` lets webhook buttons use http and reach private addresses, such as an n8n on the same machine. */
	BECKON_WEBHOOK_ALLOW_PRIVATE: setting(flag, 'false'),
	/** `false` turns off `/mcp`, where agents use the API as tools (Model Context Protocol). */
	BECKON_MCP: setting(flag, 'true'),
	/** Webhook calls that one account may have open at a time, half of them by one person. */
	BECKON_WEBHOOK_OPEN_PER_ACCOUNT: setting(whole(1, 1_000), '10'),
	/** Page for accounts whose plan is exhausted, as `upgrade_url` in 402 responses. */
	BECKON_UPGRADE_URL: setting(url, 'https://github.com/beckon-dev/beckon'),
	/** File with the key (.p8) that identifies the server to Apple's push service. Empty: no push to iPhones. */
	BECKON_APNS_KEY_FILE: setting(readableFile, '', '/etc/beckon/AuthKey_ABC123DEFG.p8'),
	/** Id of that key: ten characters. */
	BECKON_APNS_KEY_ID: setting(appleId, '', 'ABC123DEFG'),
	/** Id of the Apple developer team: ten characters. */
	BECKON_APNS_TEAM_ID: setting(appleId, '', 'DEF123GHIJ'),
	/** Bundle id of the iPhone app. */
	BECKON_APNS_BUNDLE_ID: setting(z.string(), '', 'com.example.app'),
	/** Name of the app's Live Activity attributes type, for activities that a push starts. */
	BECKON_APNS_ACTIVITY_TYPE: setting(text, 'BeckonActivityAttributes'),
	/** Apple's push service for apps from the App Store and TestFlight. */
	BECKON_APNS_URL: setting(httpsUrl, 'https://api.push.apple.com'),
	/** Apple's push service for apps started from Xcode. */
	BECKON_APNS_SANDBOX_URL: setting(httpsUrl, 'https://api.sandbox.push.apple.com'),
	/** Where Apple manages the channels over which phones get updates of Live Activities. */
	BECKON_APNS_CHANNELS_URL: setting(httpsUrl, 'https://api-manage-broadcast.push.apple.com:2196'),
	/** The same for apps started from Xcode. */
	BECKON_APNS_SANDBOX_CHANNELS_URL: setting(
		httpsUrl,
		'https://api-manage-broadcast.sandbox.push.apple.com:2195',
	),
	/** Certificate authorities (PEM) to trust at these addresses in addition to the known ones. */
	BECKON_APNS_CA_FILE: setting(readableFile, '', '/etc/beckon/ca.pem'),
	/** `true` lets a browser use a push service at a private address or over http, such as one that you host. */
	BECKON_WEB_PUSH_ALLOW_PRIVATE: setting(flag, 'false'),
	/** Where browsers’ push services can contact the operator: a mailto: or https: URL. */
	BECKON_WEB_PUSH_CONTACT: setting(
		z.string().regex(/^(mailto:.+@.+|https:\/\/.+)$/, 'must be a mailto: or https: URL'),
		'https://github.com/beckon-dev/beckon',
	),
};
