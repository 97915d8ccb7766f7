import type { z } from 'zod';
import { SETTINGS } from './settings.ts';
import type { StoreLocation } from './store/open.ts';
import { shownUrl } from './store/engine/postgres/url.ts';

/** A mistake in the settings, worded for the person starting the server; one line each. */
export class ConfigError extends Error {}

const APNS_SETTINGS = [
	'BECKON_APNS_KEY_FILE',
	'BECKON_APNS_KEY_ID',
	'BECKON_APNS_TEAM_ID',
	'BECKON_APNS_BUNDLE_ID',
] as const;

/** Variables of clients on the same machine: of the command `beckon`, and of agents. */
const CLIENT_VARIABLES = ['BECKON_URL', 'BECKON_API_KEY', 'BECKON_SENDER_KEY'];

/** Kubernetes sets these for every Service whose name begins with beckon, and `…_PORT` to an address. */
const KUBERNETES_VARIABLE = /_SERVICE_(HOST|PORT\w*)$|_PORT_\d+_(TCP|UDP|SCTP)/;
const KUBERNETES_ADDRESS = /^(tcp|udp|sctp):\/\//;

type SettingName = keyof typeof SETTINGS;
export type Config = { [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']> };

/**
 * The settings of this environment, with defaults filled in.
 * @throws ConfigError naming all wrong and unknown BECKON_ variables at once
 */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): Config {
	const environment = Object.fromEntries(
		Object.entries(variables).filter(
			([name, value = '']) => !KUBERNETES_VARIABLE.test(name) && !KUBERNETES_ADDRESS.test(value),
		),
	);
	const mistakes = Object.keys(environment)
		.filter((name) => name.startsWith('BECKON_') && !(name in SETTINGS))
		.filter((name) => !CLIENT_VARIABLES.includes(name))
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
