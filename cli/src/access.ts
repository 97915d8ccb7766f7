import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

import { isObject } from '../../src/rules/answer';
import { trimmed, type Access } from '../../src/rules/transport';
import { Failure } from './failure';

/** A server, a key, and how they are reached. */
export interface Login extends Access {
	/** Path of a file with certificates of authorities to trust, too. */
	ca?: string | undefined;
}

/** Where `login` keeps them: in the folder that the XDG Base Directory Specification names. */
export function loginFile(): string {
	const { XDG_CONFIG_HOME: config, APPDATA: data } = process.env;
	const folder = config || data || path.join(homedir(), '.config');
	return path.join(folder, 'beckon', 'access.json');
}

/** Only its owner may read the file, since it holds the key. */
export async function storeLogin(login: Login): Promise<string> {
	const file = loginFile();
	await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
	const next = `${file}.${process.pid}`;
	await writeFile(next, `${JSON.stringify(login, null, '\t')}\n`, { mode: 0o600 });
	await rename(next, file);
	return file;
}

/**
 * BECKON_URL and BECKON_API_KEY, as in a CI job, or what `login` stored.
 * @returns them, and where they are from
 * @throws Failure if either is missing: a stored key goes to no address but its own
 */
export async function readLogin(): Promise<Login & { from: string }> {
	const { BECKON_URL: url, BECKON_API_KEY: key } = process.env;
	if (url && key) return { ...toAccess(url, key), from: 'BECKON_URL and BECKON_API_KEY' };
	if (url || key) throw new Failure('Set both BECKON_URL and BECKON_API_KEY, or neither.');
	const stored = await storedLogin();
	if (stored) return { ...stored, ...toAccess(stored.baseUrl, stored.apiKey), from: loginFile() };
	throw new Failure(
		'No server is known. Run `beckon login`, or set BECKON_URL and BECKON_API_KEY.',
	);
}

/**
 * @param url the server's address, with or without /api at its end
 * @throws Failure if it is no HTTP URL, or the key has characters that no header can hold
 */
export function toAccess(url: string, apiKey: string): Access {
	const { baseUrl } = trimmed({ baseUrl: url, apiKey });
	const { protocol, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
	if (protocol !== 'http:' && protocol !== 'https:') {
		throw new Failure(`${url} is not the address of a server, such as https://beckon.example.com.`);
	}
	const key = apiKey.trim();
	// What `fetch` says about such a header has the key in it.
	if (!/^[!-~]+$/.test(key))
		throw new Failure('That is no API key. Copy it from the console again.');
	return { baseUrl: pathname === '/' ? `${baseUrl}/api` : baseUrl, apiKey: key };
}

async function storedLogin(): Promise<Login | undefined> {
	const file = loginFile();
	try {
		const stored: unknown = JSON.parse(await readFile(file, 'utf8'));
		if (isObject(stored)) {
			const { baseUrl, apiKey, ca } = stored;
			if (typeof baseUrl === 'string' && typeof apiKey === 'string') {
				return { baseUrl, apiKey, ca: typeof ca === 'string' ? ca : undefined };
			}
		}
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
	}
	throw new Failure(`${file} cannot be read. Run \`beckon login\` again.`);
}
