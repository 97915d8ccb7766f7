import { printable } from './failure';

/** The options of every command, set before it runs: --timeout in seconds, and --ca as the path of a file. */
export const settings: { json?: boolean; timeout?: number; ca?: string } = {};

/** Aborted by SIGINT, SIGTERM and SIGHUP, and at the end. */
export const stop = new AbortController();

/** Prints a text for people, or the value with --json. */
export function print(text: string, json: unknown): void {
	const printed = settings.json ? JSON.stringify(json) : text;
	if (printed !== '') process.stdout.write(`${printable(printed)}\n`);
}
