import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { Command } from 'commander';

import { loginFile, readLogin, storeLogin, toAccess } from './access';
import type { Tools } from './client';
import { EXIT, Failure } from './failure';
import { listAll } from './lists';
import { commandWith } from './options';

/** The key is no argument: those show in lists of processes, and stay in a shell's history. */
function loginCommand({ sendTo, settings, signal, print }: Tools): Command {
	return commandWith('login <address>', 'store the address of a server and an API key')
		.addHelpText('after', '\nThe key is asked for, or read from standard input.')
		.action(async (address: string) => {
			const key = process.stdin.isTTY ? await typedKey(signal) : await text(process.stdin);
			const ca = settings.ca && path.resolve(settings.ca);
			const login = { ...toAccess(address, key), ca };
			await sendTo(login)({ method: 'GET', path: '/channels?limit=1', body: {} });
			const file = await storeLogin(login);
			const { baseUrl } = login;
			print(`Signed in to ${baseUrl}; stored in ${file}.`, { base_url: baseUrl, file });
		});
}

function logoutCommand({ print }: Tools): Command {
	return commandWith('logout', 'forget what login has stored').action(async () => {
		const file = loginFile();
		await rm(file, { force: true });
		print(`Nothing is stored in ${file} any more. The console revokes keys.`, { file });
	});
}

function whoamiCommand({ send, print }: Tools): Command {
	return commandWith(
		'whoami',
		'show the server, the origin of the key, and the phones it reaches',
	).action(async () => {
		const { baseUrl, from } = await readLogin();
		const phones = await listAll(send, 'phones');
		const names = phones.map(({ name, user }) => `${String(name)} (${String(user)})`);
		const text = `${baseUrl}, with the key of ${from}\nPhones: ${names.join(', ') || 'none'}`;
		print(text, { base_url: baseUrl, from, phones });
	});
}

export const loginCommands = [loginCommand, logoutCommand, whoamiCommand];

/** Asks in the terminal, without showing what is typed. */
async function typedKey(signal: AbortSignal): Promise<string> {
	const output = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output, terminal: true });
	// Only now: what is typed before the terminal is asked not to show it would show.
	process.stderr.write('API key (not shown): ');
	const key = await new Promise<string | undefined>((resolve) => {
		lines.once('line', resolve);
		// By Ctrl-C and Ctrl-D, which are typed characters here.
		lines.once('close', () => resolve(undefined));
		signal.addEventListener('abort', () => lines.close());
	});
	lines.close();
	process.stderr.write('\n');
	if (key === undefined) throw new Failure('Interrupted.', EXIT.interrupted);
	return key;
}
