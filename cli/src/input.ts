import { fstatSync } from 'node:fs';

import { warn } from './failure';

/** Milliseconds without input after which the command says what it waits for. */
const SILENCE = 2000;

/** Characters kept of the input: more than any field takes. */
const KEPT = 1_000_000;

/**
 * A title and a message, from the arguments and standard input. Standard input is the message if the message is `-`, or
 * is missing and standard input is a pipe or a file. If the title is `-`, its first line is the title and the rest the
 * message.
 */
export async function readTexts(title: string, message: string | undefined) {
	if (title === '-') {
		const text = (await readInput()).trim();
		if (message !== undefined && message !== '-') return { title: text, message };
		const [first = '', ...rest] = text.split('\n');
		return { title: first, message: rest.join('\n').trimStart() || undefined };
	}
	const isRead = message === '-' || (message === undefined && isPiped());
	return { title, message: isRead ? (await readInput()).trimEnd() || undefined : message };
}

/** A terminal, or a socket that the calling program left open, is read only for `-`. */
function isPiped(): boolean {
	try {
		const input = fstatSync(0);
		return input.isFIFO() || input.isFile();
	} catch {
		// Standard input is closed.
		return false;
	}
}

/** Reads to the end: a program whose output is not read completely fails. */
async function readInput(): Promise<string> {
	const telling = setTimeout(() => {
		warn('Reading standard input. End it with Ctrl-D, or use </dev/null if there is none.');
	}, SILENCE);
	let text = '';
	process.stdin.once('readable', () => clearTimeout(telling));
	for await (const chunk of process.stdin.setEncoding('utf8')) {
		if (text.length < KEPT) text += String(chunk);
	}
	return text;
}
