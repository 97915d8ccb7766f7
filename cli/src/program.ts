import type { Client } from './client';

/** What a command does its work with. */
export interface Tools {
	client: () => Promise<Client>;
	/** Aborted by SIGINT and SIGTERM. */
	signal: AbortSignal;
	/** Prints one line for people, or the value with --json. */
	print: (line: string, json: unknown) => void;
}
