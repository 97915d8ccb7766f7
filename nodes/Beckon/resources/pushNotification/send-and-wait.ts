import type { BeckonCall } from '../../../../src/call';
import type { FieldReader } from '../../../../src/field-reader';
import { buttonsOf, choicesOf } from '../../shared/ask/choices';
import { limitWaitTimeField } from '../../shared/ask/limit-wait';
import { SEND_AND_WAIT } from '../../shared/ask/question';
import type { OperationOptions } from '../../shared/options';
import { pushContentOf, pushOptions } from './push-options';

export const sendAndWaitOptions: OperationOptions = {
	resource: 'pushNotification',
	operation: SEND_AND_WAIT,
	fields: [...pushOptions, limitWaitTimeField],
};

/** A push notification with a button for each choice. */
export function questionCall(read: FieldReader, resumeUrl: string): BeckonCall {
	const actions = buttonsOf(choicesOf(read), resumeUrl);
	return {
		method: 'POST',
		path: '/push-notification',
		body: { ...pushContentOf(read), actions },
	};
}
