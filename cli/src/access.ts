import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

import { isObject } from '../../src/rules/answer';
import { trimmed, type Access } from '../../src/rules/transport';
import { Failure } from './failure';

/** Where `login` keeps the address and the key: the folder that the XDG Base Directory Specification names. */
function accessFile(): string {
	const { XDG_CONFIG_HOME: config, APPDATA: data } = process.env;
	const folder = config || data || path.join(homedir(), '.config');
	return path.join(folder, 'beckon', 'access.json');
}

/** Only its owner may read the file, since it holds the key. */
export async function storeAccess(access: Access): Promise<string> {
	const file = accessFile();
	await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
	const next = `${file}.${process.pid}`;
	await writeFile(next, `${JSON.stringify(access, null, '\t')}\n`, { mode: 0o600 });
	await rename(next, file);
	return file;
}

/**
 * The address and the key: BECKON_URL and BECKON_API_KEY, as in a CI job, or what `login` stored.
 * @throws Failure if either is missing: a stored key goes to no address but its own
 */
export async function readAccess(): Promise<Access> {
	const { BECKON_URL: url, BECKON_API_KEY: key } = process.env;
	if (url && key) return toAccess(url, key);
	if (url || key) throw new Failure('Set both BECKON_URL and BECKON_API_KEY, or neither.');
	const stored = await storedAccess();
	if (stored) return toAccess(stored.baseUrl, stored.apiKey);
	throw new Failure(
		'No server is known. Run `beckon login`, or set BECKON_URL and BECKON_API_KEY.',
	);
}

/**
 * @param url the server's address, with or without /api at its end
 * @throws Failure if it is no HTTP URL
 */
export function toAccess(url: string, apiKey: string): Access {
	const { baseUrl } = trimmed({ baseUrl: url, apiKey });
	const { protocol, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
	if (protocol !== 'http:' && protocol !== 'https:') {
		throw new Failure(`${url} is no address of a server. It looks like https://beckon.example.com`);
	}
	return { baseUrl: pathname === '/' ? `${baseUrl}/api` : baseUrl, apiKey: apiKey.trim() };
}

async function storedAccess(): Promise<Access | undefined> {
	const file = accessFile();
	try {
		const stored: unknown = JSON.parse(await readFile(file, 'utf8'));
		if (isObject(stored)) {
			const { baseUrl, apiKey } = stored;
			if (typeof baseUrl === 'string' && typeof apiKey === 'string') return { baseUrl, apiKey };
		}
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
		if (!(error instanceof SyntaxError)) throw error;
	}
	throw new Failure(`${file} cannot be read. Run \`beckon login\` again.`);
}
