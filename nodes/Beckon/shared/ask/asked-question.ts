import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isObject } from '../../../../src/rules/answer';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { readChoices, type Choice } from './choices';
import { readStreamToEnd } from './end-activity';
import { readForm, type Form } from './form-fields';
import { keptIn } from './execution-context';

/** The parts of a question that its answer needs. */
export interface AskedQuestion {
	title: string;
	message: string;
	/** The answers that buttons give; empty if there is a form. */
	choices: Choice[];
	/** Undefined if the question is answered by its buttons. */
	form?: Form | undefined;
	/** Stream key of the Live Activity that ends with the answer, if any. */
	streamToEnd: string | undefined;
}

const ASKED = 'asked';

/** @param token a new one for each question */
export function readAskedQuestion(read: FieldReader, token: string): AskedQuestion {
	const form = readForm(read, token);
	return {
		title: read.text('title', 'title') ?? 'Question',
		message: read.text('message', 'message') ?? '',
		choices: form ? [] : readChoices(read),
		form,
		streamToEnd: readStreamToEnd(read),
	};
}

/**
 * Stores the question with the execution. When the answer arrives, `$now` is later and `$runIndex` is
 * 0, so the same expressions would give other labels than the phone shows. Holds no secret: only the
 * texts on the phone and the page, the stream key, and the token of the page's form.
 */
export function keepQuestion(context: IExecuteFunctions, question: AskedQuestion): void {
	context.getContext('node')[ASKED] = question;
}

/** Undefined if the question comes from a version that kept none. */
export function keptQuestion(context: IWebhookFunctions): AskedQuestion | undefined {
	const kept = keptIn(context, ASKED);
	return isObject(kept) ? (kept as unknown as AskedQuestion) : undefined;
}
