import type { Feature, SenderPath } from '../../contract/values.ts';
import type { Context } from '../../service/context.ts';
import type { ErrorAnswer } from '../errors.ts';
import type { Gate, KeyIn } from '../gate.ts';
import type { TypedApp } from '../typed-app.ts';

export interface SenderParts {
	context: Context;
	gate: Gate;
}

/** A program whose notifications Beckon accepts in that program's own format. */
export interface Sender {
	/** Its routes are below this path. */
	name: SenderPath;
	/** The rate limit that its requests count toward. */
	feature: Feature;
	keyIn: KeyIn;
	/** A refusal in the format that the program understands. */
	toRefusal(answer: ErrorAnswer): object;
	register(app: TypedApp, parts: SenderParts): void;
}
