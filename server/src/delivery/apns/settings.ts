import { createHmac, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { type Config, ConfigError } from '../../config.ts';
import type { ApnsSettings } from './gateway.ts';

/**
 * The APNs settings; undefined if there are none.
 * @throws ConfigError if the key file has no such key
 */
export function readApnsSettings(config: Config): ApnsSettings | undefined {
	const { BECKON_APNS_KEY_FILE: keyFile, BECKON_APNS_CA_FILE: caFile } = config;
	if (keyFile === '') return undefined;
	let key;
	try {
		key = createPrivateKey(readFileSync(keyFile));
	} catch {
		// Not a key.
	}
	if (key?.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
		throw new ConfigError(`BECKON_APNS_KEY_FILE is not a valid APNs key (.p8): ${keyFile}.`);
	const secret = key.export({ format: 'der', type: 'pkcs8' });
	return {
		linkKeyOf: (id) => createHmac('sha256', secret).update(id).digest('base64url').slice(0, 16),
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
		ca: caFile === '' ? undefined : [...rootCertificates, readFileSync(caFile, 'utf8')],
	};
}
