import type { BeckonCall } from '../../../../src/call';
import type { FieldReader } from '../../../../src/field-reader';
import { buttonsOf, choicesOf } from '../../shared/ask/choices';
import { limitWaitTimeField } from '../../shared/ask/limit-wait';
import { SEND_AND_WAIT } from '../../shared/ask/question';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { pushContentOf, pushOptions } from './push-options';

const showOnlyForSendAndWait = { resource: ['pushNotification'], operation: [SEND_AND_WAIT] };

export const sendAndWaitFields = shownFor(showOnlyForSendAndWait, [
	optionsOf(...pushOptions, limitWaitTimeField),
]);

/** A push notification with a button for each choice. */
export function questionCall(read: FieldReader, resumeUrl: string): BeckonCall {
	const actions = buttonsOf(choicesOf(read), resumeUrl);
	return {
		method: 'POST',
		path: '/push-notification',
		body: { ...pushContentOf(read), actions },
	};
}
