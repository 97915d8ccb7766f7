import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isObject } from '../../../../src/answer';
import type { FieldReader } from '../../../../src/field-reader';
import { choicesOf, type Choice } from './choices';
import { streamToEndOf } from './end-activity';
import { keptIn } from './memory';

/** What an answer needs to know of its question. */
export interface AskedQuestion {
	title: string;
	message: string;
	choices: Choice[];
	/** The stream key of the Live Activity that ends with the answer, if one does. */
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
 * Stores the question with the execution: when the answer comes, `$now` is later and `$runIndex` is 0,
 * so the same expressions would give other labels than the phone shows. It holds no secret: only what
 * is on the phone, and the stream key.
 */
export function keepQuestion(context: IExecuteFunctions, question: AskedQuestion): void {
	context.getContext('node')[ASKED] = question;
}

/** Undefined for a question of a version that kept none. */
export function keptQuestion(context: IWebhookFunctions): AskedQuestion | undefined {
	const kept = keptIn(context, ASKED);
	return isObject(kept) ? (kept as unknown as AskedQuestion) : undefined;
}
