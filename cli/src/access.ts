import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

import { codeIn } from '../../src/rules/repeat';
import { trimmed, type Access } from '../../src/rules/transport';
import { Failure } from './failure';

/** A server, a key, and perhaps the path of a file with additional certificate authorities to trust. */
export type Login = Access & { ca?: string | undefined };

/** Where `login` stores them: in the folder that the XDG Base Directory Specification names. */
export function loginFile(): string {
	const { XDG_CONFIG_HOME: config, APPDATA: data } = process.env;
	return path.join(config || data || path.join(homedir(), '.config'), 'beckon', 'access.json');
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
 * @throws Failure if one is missing: a stored key is only sent to the address it was stored with
 */
export async function readLogin(): Promise<Login & { from: string }> {
	const { BECKON_URL: url, BECKON_API_KEY: key } = process.env;
	if (url && key) return { ...toAccess(url, key), from: 'BECKON_URL and BECKON_API_KEY' };
	if (url || key) throw new Failure('Set both BECKON_URL and BECKON_API_KEY, or neither.');
	const file = loginFile();
	try {
		const { baseUrl, apiKey, ca } = JSON.parse(await readFile(file, 'utf8')) as Login;
		return { ...toAccess(baseUrl, apiKey), ca, from: file };
	} catch (error) {
		const isMissing = codeIn(error) === 'ENOENT';
		const words = isMissing ? NO_LOGIN : `${file} cannot be read. Run \`beckon login\` again.`;
		throw new Failure(words);
	}
}

const NO_LOGIN = 'No server is known. Run `beckon login`, or set BECKON_URL and BECKON_API_KEY.';

/**
 * @param url the server's address, with or without /api at its end
 * @throws Failure if it is not an HTTP URL, or the key has characters that no header can hold
 */
export function toAccess(url: string, apiKey: string): Access {
	const { baseUrl } = trimmed({ baseUrl: url, apiKey });
	const { protocol, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
	if (protocol !== 'http:' && protocol !== 'https:')
		throw new Failure(`${url} is not the address of a server, such as https://beckon.example.com.`);
	const key = apiKey.trim();
	// `fetch`'s error for such a header contains the key.
	if (!/^[!-~]+$/.test(key))
		throw new Failure('This is not a valid API key. Copy it from the console again.');
	return { baseUrl: pathname === '/' ? `${baseUrl}/api` : baseUrl, apiKey: key };
}
