import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { type Config, ConfigError } from '../../config.ts';
import { errorCode } from '../../store/errors.ts';
import type { ApnsSettings } from './gateway.ts';

function read(name: keyof Config, file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch (error) {
		throw new ConfigError(
			`${name} names a file that cannot be read: ${file} (${errorCode(error)}).`,
		);
	}
}

/**
 * The APNs settings; undefined if there are none.
 * @throws ConfigError if the key file or the certificate file cannot be used
 */
export function readApnsSettings(config: Config): ApnsSettings | undefined {
	const { BECKON_APNS_KEY_FILE: keyFile, BECKON_APNS_CA_FILE: caFile } = config;
	if (keyFile === '') return undefined;
	let key;
	try {
		key = createPrivateKey(read('BECKON_APNS_KEY_FILE', keyFile));
	} catch (error) {
		if (error instanceof ConfigError) throw error;
	}
	if (key?.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
		throw new ConfigError(`BECKON_APNS_KEY_FILE is not a valid APNs key (.p8): ${keyFile}.`);
	return {
		key,
		keyId: config.BECKON_APNS_KEY_ID,
		teamId: config.BECKON_APNS_TEAM_ID,
		bundleId: config.BECKON_APNS_BUNDLE_ID,
		activityType: config.BECKON_APNS_ACTIVITY_TYPE,
		origins: {
			production: config.BECKON_APNS_URL,
			sandbox: config.BECKON_APNS_SANDBOX_URL,
			production_channels: config.BECKON_APNS_CHANNELS_URL,
			sandbox_channels: config.BECKON_APNS_SANDBOX_CHANNELS_URL,
		},
		ca: caFile === '' ? undefined : [...rootCertificates, read('BECKON_APNS_CA_FILE', caFile)],
	};
}
