import type { Answer } from '../../src/rules/answer';

/** Exit codes, as the README lists them; `run` exits with its command's own. */
export const EXIT = {
	failed: 1,
	usage: 2,
	declined: 3,
	expired: 4,
	withdrawn: 5,
	/** The codes that shells use for a program that cannot be run, does not exist, or was ended by SIGINT. */
	notRunnable: 126,
	notFound: 127,
	interrupted: 130,
} as const;

/** The service's answer or, without one, whether the call may have arrived anyway, and the last trouble with it. */
export type Known = Partial<Answer> & { mayHaveArrived?: boolean; trouble?: string };

/** Ends the program with a sentence on standard error and an exit code. */
export class Failure extends Error {
	readonly exitCode: number;

	readonly known: Known;

	constructor(message: string, exitCode: number = EXIT.failed, known: Known = {}) {
		super(message);
		this.exitCode = exitCode;
		this.known = known;
	}
}

/** Characters that a terminal would interpret, or that change the order of a line: answers come from people. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

export const printable = (text: string) => text.replaceAll(UNPRINTABLE, '\ufffd');

export const messageOf = (error: unknown) =>
	error instanceof Error ? error.message : String(error);

let lastWarning: string | undefined;

/** Prints a line for people on standard error, with the prefix of all such lines, but not the same one twice in a row. */
export function warn(text: string): void {
	if (text !== lastWarning) process.stderr.write(`beckon: ${printable(text)}\n`);
	lastWarning = text;
}
