import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { Command } from 'commander';

import { storeAccess, toAccess } from './access.ts';
import { Client } from './client.ts';
import { EXIT, Failure } from './failure.ts';
import type { Tools } from './program.ts';

/** The key is no argument: those show in lists of processes, and stay in a shell's history. */
export function loginCommand({ signal, print }: Tools): Command {
	return new Command('login')
		.description('store the address of a server and an API key')
		.argument('[address]', 'such as https://beckon.example.com')
		.addHelpText('after', '\nThe key is asked for, or read from standard input.')
		.action(async (address: string | undefined) => {
			const url = address ?? (await question('Address: ', signal));
			const access = toAccess(url, await readKey(signal));
			if (access.apiKey === '') throw new Failure('The key is empty.', { exitCode: EXIT.usage });
			await new Client(access, signal).read('/channels');
			const file = await storeAccess(access);
			print(`Signed in to ${access.baseUrl}; stored in ${file}.`, {
				base_url: access.baseUrl,
				file,
			});
		});
}

async function readKey(signal: AbortSignal): Promise<string> {
	if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
	return await question('API key (not shown): ', signal, { isHidden: true });
}

async function question(
	words: string,
	signal: AbortSignal,
	{ isHidden = false }: { isHidden?: boolean } = {},
): Promise<string> {
	if (!process.stdin.isTTY) {
		throw new Failure('Give the address as an argument; standard input is the key.', {
			exitCode: EXIT.usage,
		});
	}
	process.stderr.write(words);
	const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
	const output = isHidden ? nowhere : process.stderr;
	const lines = createInterface({ input: process.stdin, output, terminal: true });
	try {
		return (await lines.question('', { signal })).trim();
	} catch (error) {
		if (!signal.aborted) throw error;
		throw new Failure('Interrupted.', { exitCode: EXIT.interrupted });
	} finally {
		lines.close();
		if (isHidden) process.stderr.write('\n');
	}
}
