import { fstatSync } from 'node:fs';

import { warn } from './failure';

/** Milliseconds without input after which people are told what is waited for. */
const SILENCE = 2000;

/** Characters kept of the input: more than any field takes. */
const KEPT = 1_000_000;

/** A title and a message. */
export interface Texts {
	title: string;
	message: string | undefined;
}

/**
 * What the arguments say, and standard input: as the message for `-`, or without a message if it is a pipe or a file,
 * and for `-` as the title, whose first line is the title and whose rest is the message.
 */
export async function readTexts(title: string, message: string | undefined): Promise<Texts> {
	if (title === '-') {
		const text = (await readInput()).trim();
		if (message !== undefined && message !== '-') return { title: text, message };
		const [first = '', ...rest] = text.split('\n');
		return { title: first, message: rest.join('\n').trimStart() || undefined };
	}
	if (message !== '-' && (message !== undefined || !isPiped())) return { title, message };
	return { title, message: (await readInput()).trimEnd() || undefined };
}

/** A socket, as programs that start this one leave open, and a terminal are read only for `-`. */
function isPiped(): boolean {
	try {
		const input = fstatSync(0);
		return input.isFIFO() || input.isFile();
	} catch {
		// It is closed.
		return false;
	}
}

/** All of it: a program whose output is not read to its end fails. */
async function readInput(): Promise<string> {
	const telling = setTimeout(() => {
		warn('Reading standard input to its end. Ctrl-D ends it; </dev/null says that there is none.');
	}, SILENCE);
	let text = '';
	for await (const chunk of process.stdin.setEncoding('utf8')) {
		clearTimeout(telling);
		if (text.length < KEPT) text += String(chunk);
	}
	clearTimeout(telling);
	return text;
}
