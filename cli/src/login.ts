import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { loginFile, readLogin, storeLogin, toAccess } from './access';
import { senderTo } from './client';
import { EXIT, Failure } from './failure';
import { listAll } from './lists';
import { command } from './options';
import { print, settings, stop } from './settings';

export const loginCommands = [
	// The key is not an argument: lists of processes show those, and a shell's history keeps them.
	command('login <address>', 'store the address of a server and an API key')
		.addHelpText('after', '\nThe key is asked for, or read from standard input.')
		.action(async (address: string) => {
			const key = process.stdin.isTTY ? await typedKey() : await text(process.stdin);
			const ca = settings.ca && path.resolve(settings.ca);
			const login = { ...toAccess(address, key), ca };
			await senderTo(login)({ method: 'GET', path: '/channels?limit=1', body: {} });
			const file = await storeLogin(login);
			const { baseUrl } = login;
			print(`Signed in to ${baseUrl}; stored in ${file}.`, { base_url: baseUrl, file });
		}),
	command('logout', 'forget what login has stored').action(async () => {
		const file = loginFile();
		await rm(file, { force: true });
		print(`Nothing is stored in ${file} any more. The console revokes keys.`, { file });
	}),
	command('whoami', "show the server, the key's origin and its phones").action(async () => {
		const { baseUrl, from } = await readLogin();
		const phones = await listAll('phones');
		const names = phones.map(({ name, user }) => `${String(name)} (${String(user)})`);
		const text = `${baseUrl}, with the key of ${from}\nPhones: ${names.join(', ') || 'none'}`;
		print(text, { base_url: baseUrl, from, phones });
	}),
];

/** Asks in the terminal, without showing what is typed. */
async function typedKey(): Promise<string> {
	const output = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output, terminal: true });
	// Prompt only now: until the terminal is told not to, it shows what is typed.
	process.stderr.write('API key (not shown): ');
	const key = await new Promise<string | undefined>((resolve) => {
		lines.once('line', resolve);
		// Ctrl-C and Ctrl-D close it: they are typed characters here.
		lines.once('close', () => resolve(undefined));
		stop.signal.addEventListener('abort', () => lines.close());
	});
	lines.close();
	process.stderr.write('\n');
	if (key === undefined) throw new Failure('Interrupted.', EXIT.interrupted);
	return key;
}
