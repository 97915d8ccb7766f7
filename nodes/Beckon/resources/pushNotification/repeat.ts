import type { PreSendAction } from 'n8n-workflow';

import { fillsBody, fillsPath } from '../../../shared/declared/hooks';
import {
	explained,
	isUnknownEndpoint,
	successOnly,
	withDetails,
	type Received,
} from '../../../shared/declared/received';
import { everyMinutesBounds, repeatId, timesBounds } from '../../../shared/fields/bounds';
import { within } from '../../../shared/fields/rules';
import { field, group, numeric, oneRow, sendsBy, shownIf } from '../../shared/field';

/** Repeats need Beckon's addition to the API (docs/api-decisions.md "Beckon's additions"). */

const sendRepeat = fillsBody('repeat', (read) => {
	const row = read.row('repeat', 'options.repeat.values');
	if (!row) return undefined;
	return {
		every_minutes:
			row.wholeNumber('every_minutes', 'everyMinutes', within(everyMinutesBounds)) ?? 5,
		times: row.wholeNumber('times', 'times', within(timesBounds)) ?? 3,
	};
});

const repeatFields = [
	field('Every (Minutes)', 'everyMinutes', {
		description: 'Minutes between two deliveries',
		...numeric(everyMinutesBounds, 5),
	}),
	field('Maximum Repeats', 'times', {
		description: 'How many times to deliver it again at most',
		...numeric(timesBounds, 3),
	}),
];

/** For the options of a push. */
export const repeatField = field('Repeat Until Somebody Reacts', 'repeat', {
	description:
		'Deliver it again until somebody taps a button or dismisses it. Stop Repeating takes the repeat_id of the output.',
	...oneRow({ values: { everyMinutes: 5, times: 3 } }, group('Values', 'values', repeatFields)),
	...sendsBy(sendRepeat),
});

/** Turns a push with a repeat into a repeat's request. It wraps the whole body, so it runs last. */
const wrapRepeated: PreSendAction = async (request) => {
	const { repeat, ...push } = request.body as { repeat?: object };
	return repeat === undefined
		? request
		: { ...request, url: `${request.url}/repeated`, body: { push, repeat } };
};

/** No input: it only holds the hook that comes last. */
export const repeatedRequest = field('Repeated Request', 'repeatedRequest', {
	description: 'Sends a notification with a repeat in the form that the server takes',
	type: 'hidden',
	...shownIf({ resource: ['pushNotification'], operation: ['send'] }),
	...sendsBy(wrapRepeated),
});

export const sentOrRepeated: Received[] = [
	explained(
		(answer, read) => isUnknownEndpoint(answer) && read.has('options.repeat.values'),
		'This service cannot repeat a notification: remove the option Repeat Until Somebody Reacts.',
	),
	successOnly(),
	withDetails,
];

export const stopped: Received[] = [
	explained(
		isUnknownEndpoint,
		'This service cannot repeat notifications, so there is nothing to stop.',
	),
	successOnly('Use the repeat_id output by the Send operation.'),
];

export const repeatIdField = field('Repeat ID', 'repeatId', {
	description: 'The repeat_id output by the Send operation',
	required: true,
	placeholder: 'e.g. {{ $json.repeat_id }}',
	...sendsBy(fillsPath('repeat_id', 'repeatId', repeatId)),
});
