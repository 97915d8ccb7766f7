/** Exit codes, as the README lists them; `run` exits with its command's own. */
export const EXIT = {
	failed: 1,
	usage: 2,
	declined: 3,
	expired: 4,
	withdrawn: 5,
	/** As shells report a command that SIGINT ended. */
	interrupted: 130,
} as const;

/** Ends the program with a sentence on standard error, and a code. */
export class Failure extends Error {
	readonly exitCode: number;

	/** The service's answer, printed by --json. */
	readonly body: unknown;

	constructor(message: string, exitCode: number = EXIT.failed, body?: unknown) {
		super(message);
		this.exitCode = exitCode;
		this.body = body;
	}
}
