import type { Feature, SenderPath } from '../../contract/values.ts';
import type { Context } from '../../service/context.ts';
import type { ErrorAnswer } from '../errors.ts';
import type { Gate, KeyIn } from '../gate.ts';
import type { TypedApp } from '../typed-app.ts';

export interface SenderParts {
	context: Context;
	gate: Gate;
}

/** A program whose notifications Beckon takes in that program's own format. */
export interface Sender {
	/** Its routes are below this path. */
	name: SenderPath;
	/** The allowance that its requests use. */
	feature: Feature;
	keyIn: KeyIn;
	/** A refusal in the format that the program understands. */
	toRefusal(answer: ErrorAnswer): object;
	register(app: TypedApp, parts: SenderParts): void;
}
