import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { buttonsOf, choicesOf } from '../../shared/ask/choices';
import { afterResponseField } from '../../shared/ask/end-activity';
import { limitWaitTimeField } from '../../shared/ask/limit-wait';
import { SEND_AND_WAIT } from '../../shared/ask/question';
import { channelsOf, streamChannelsField } from '../../shared/channels';
import { alertFields, alertOf } from '../../shared/live-activity/alert';
import { lookOf } from '../../shared/live-activity/content-state';
import { metadataField, metadataOf } from '../../shared/metadata';
import type { OperationOptions } from '../../shared/options';
import { tagsField, tagsOf } from '../../shared/tags';
import { streamPathOf } from './stream-key';

/** A Live Activity has room for two buttons. */
const MOST_CHOICES = 2;

export const sendAndWaitOptions: OperationOptions = {
	resource: 'liveActivity',
	operation: SEND_AND_WAIT,
	fields: [
		streamChannelsField,
		metadataField,
		tagsField,
		...alertFields,
		afterResponseField,
		limitWaitTimeField,
	],
};

/** A Live Activity of the type alert with a button for each choice. */
export function questionCall(read: FieldReader, resumeUrl: string): BeckonCall {
	const state = read.inside('content_state');
	const title = state.required('title', state.text('title', 'title'));
	const [action, secondaryAction] = buttonsOf(choicesOf(read, MOST_CHOICES), resumeUrl);
	return {
		method: 'PUT',
		path: streamPathOf(read),
		body: compact({
			content_state: {
				type: 'alert',
				title,
				message: state.required('message', state.text('message', 'message')),
				...lookOf(state),
			},
			action,
			secondary_action: secondaryAction,
			// A question is for now: without an alert of its own it makes the phone sound with its title.
			alert: alertOf(read) ?? { title },
			channels: channelsOf(read),
			tags: tagsOf(read),
			metadata: metadataOf(read),
		}),
	};
}
