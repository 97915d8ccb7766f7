import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { errorCode } from '../store/errors.ts';

/** The settings of this machine's service, which only root can read (docs/operations.md, "Quick start"). */
const SERVICE_SETTINGS = '/etc/beckon/beckon.env';

/** Where the unit keeps its data, unless its settings say otherwise. */
const SERVICE_DATA = '/var/lib/beckon';

/**
 * The environment and, for what it does not set, the settings of this machine's service, so that `sudo beckon-server …`
 * acts on the service's data. A user who may not read them has only the environment.
 */
export function readEnvironment(file = SERVICE_SETTINGS): NodeJS.Dict<string> {
	try {
		const settings = parseEnv(readFileSync(file, 'utf8'));
		return { BECKON_DATA: SERVICE_DATA, ...settings, ...process.env };
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error))) return process.env;
		throw error;
	}
}
