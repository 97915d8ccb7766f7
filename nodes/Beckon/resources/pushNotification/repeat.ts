import type { PreSendAction } from 'n8n-workflow';

import { fillsPath } from '../../../shared/declared/hooks';
import { everyMinutesBounds, repeatId } from '../../../shared/fields/bounds';
import { field, sendsBy, shownIf } from '../../shared/field';
import { repeatingField } from '../../shared/repeating';

/** For the options of a push. */
export const repeatField = repeatingField(
	'Repeat Until Somebody Reacts',
	'repeat',
	everyMinutesBounds,
	'Deliver it again until somebody taps a button or dismisses it. Stop Repeating takes the repeat_id of the output.',
);

/** Turns a push with a repeat into a repeat's request. It wraps the whole body, so it runs last. */
const wrapRepeated: PreSendAction = async (request) => {
	const { repeat, ...push } = request.body as { repeat?: object };
	return repeat === undefined
		? request
		: { ...request, url: `${request.url}/repeated`, body: { push, repeat } };
};

/** Shows no input: only holds the hook that runs last. */
export const repeatedRequest = field('Repeated Request', 'repeatedRequest', {
	description: 'Sends a notification with a repeat in the form that the server takes',
	type: 'hidden',
	...shownIf({ resource: ['pushNotification'], operation: ['send'] }),
	...sendsBy(wrapRepeated),
});

export const repeatIdField = field('Repeat ID', 'repeatId', {
	description: 'The repeat_id output by the Send operation',
	required: true,
	placeholder: 'e.g. {{ $json.repeat_id }}',
	...sendsBy(fillsPath('repeat_id', 'repeatId', repeatId)),
});
