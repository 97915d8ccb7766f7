import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { Command } from 'commander';

import { storeAccess, toAccess } from './access';
import { Client, type Tools } from './client';
import { EXIT, Failure } from './failure';

/** The key is no argument: those show in lists of processes, and stay in a shell's history. */
export function loginCommand({ signal, print }: Tools): Command {
	return new Command('login')
		.description('store the address of a server and an API key')
		.argument('<address>', 'such as https://beckon.example.com')
		.addHelpText('after', '\nThe key is asked for, or read from standard input.')
		.action(async (address: string) => {
			const key = process.stdin.isTTY ? await typedKey(signal) : await text(process.stdin);
			const access = toAccess(address, key);
			const client = new Client(access, signal);
			client.successIn(await client.read('/channels'));
			const file = await storeAccess(access);
			const { baseUrl } = access;
			print(`Signed in to ${baseUrl}; stored in ${file}.`, { base_url: baseUrl, file });
		});
}

/** Asks in the terminal, without showing what is typed. */
async function typedKey(signal: AbortSignal): Promise<string> {
	const output = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output, terminal: true });
	// Only now: what is typed before the terminal is asked not to show it would show.
	process.stderr.write('API key (not shown): ');
	try {
		return await lines.question('', { signal });
	} catch (error) {
		if (!signal.aborted) throw error;
		throw new Failure('Interrupted.', EXIT.interrupted);
	} finally {
		lines.close();
		process.stderr.write('\n');
	}
}
