import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isObject } from '../../../../src/answer';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { choicesOf, type Choice } from './choices';
import { streamToEndOf } from './end-activity';
import { keptIn } from './memory';

/** The parts of a question that its answer needs. */
export interface AskedQuestion {
	title: string;
	message: string;
	choices: Choice[];
	/** Stream key of the Live Activity that ends with the answer, if any. */
	streamToEnd: string | undefined;
}

const ASKED = 'asked';

export function askedQuestionOf(read: FieldReader): AskedQuestion {
	return {
		title: read.text('title', 'title') ?? 'Question',
		message: read.text('message', 'message') ?? '',
		choices: choicesOf(read),
		streamToEnd: streamToEndOf(read),
	};
}

/**
 * Stores the question with the execution. When the answer arrives, `$now` is later and `$runIndex` is
 * 0, so the same expressions would give other labels than the phone shows. Holds no secret: only the
 * texts on the phone, and the stream key.
 */
export function keepQuestion(context: IExecuteFunctions, question: AskedQuestion): void {
	context.getContext('node')[ASKED] = question;
}

/** Undefined if the question comes from a version that kept none. */
export function keptQuestion(context: IWebhookFunctions): AskedQuestion | undefined {
	const kept = keptIn(context, ASKED);
	return isObject(kept) ? (kept as unknown as AskedQuestion) : undefined;
}
