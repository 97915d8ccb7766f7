import type { INodeProperties } from 'n8n-workflow';

import { fillsBody, fillsPath } from '../../shared/declared/hooks';
import { explained, successOnly, withDetails } from '../../shared/declared/received';
import { issuesIn } from '../../shared/errors/explanation';
import { streamKey } from '../../shared/fields/bounds';
import { asked, askingFields, SEND_AND_WAIT } from '../shared/ask/question';
import {
	alertFields,
	dismissAfterMinutes,
	dismissAfterSeconds,
} from '../shared/live-activity/option-fields';
import { KEEP_TYPE } from '../shared/live-activity/activity-types';
import { getMany } from '../shared/get-many';
import { calls, choice, field, operationField, sendsBy, shownFor } from '../shared/field';
import { metadataField } from '../shared/object-option';
import { ifTooLong, includeDetails, optionsField, parallelRequests } from '../shared/options';
import { pickedKey } from '../shared/pickers/key-field';
import { recipientFields } from '../shared/recipients';
import { tagChangeFields } from '../shared/tags';
import { questionLookOptions } from './pushNotification/push-options';

const resource = 'liveActivity';

const STREAM = '/live-activity/stream/{stream_key}';

const successOrContinue = successOnly(
	'To continue if there is nothing to end, set On Error to Continue in the settings of this node.',
);

/** A running activity can keep its type; a new one has no type to keep. */
const orNoType = explained(
	(answer, read) =>
		read.text('type', 'activityType') === KEEP_TYPE &&
		issuesIn(answer).some(({ path }) => path === 'content_state.type'),
	'Activity Type (content_state.type) is Keep Current Type, but no Live Activity with this Stream Key is running. Choose what the new one looks like, such as Progress, and fill in its fields.',
);

const streamKeyField = field('Stream Key', 'streamKey', {
	description:
		'Any name: updates with the same key change the same Live Activity. Letters, digits, underscores and dashes.',
	...pickedKey('searchStreams', { list: 'Choose a Live Activity…', key: 'e.g. deploy-production' }),
	// A stream's first update uses a new key, which no list contains.
	default: { mode: 'key', value: '' },
});

const sendStreamKey = fillsBody('live_activity.stream_key', (read) =>
	read.required('streamKey', read.text('streamKey', 'streamKey', streamKey)),
);

const END = 'end';
const KEEP = 'keep';

const afterDecisionField = field('After Decision', 'afterResponse', {
	description: 'What to do with the Live Activity when the question has ended',
	...choice(END, {
		[END]: ['End the Live Activity', 'Show the decision for two minutes, then remove it'],
		[KEEP]: ['Keep the Live Activity', 'Leave it to the nodes that follow'],
	}),
	...sendsBy(
		fillsBody(
			'live_activity.keep',
			(read) =>
				read.choice('afterResponse', 'options.afterResponse', [END, KEEP]) === KEEP || undefined,
		),
	),
});

export const fields: INodeProperties[] = [
	operationField(resource, 'upsert', [
		{
			name: 'Create or Update',
			value: 'upsert',
			action: 'Create or update live activity',
			description:
				'Create a new Live Activity, or update the current one if it already exists (upsert)',
			routing: calls('PUT', STREAM, [orNoType, successOnly(), withDetails], { content_state: {} }),
		},
		{
			name: 'End',
			value: 'end',
			action: 'End live activity',
			description: 'End the Live Activity and take it off the lock screen',
			// Without any content the stream ends in its latest state.
			routing: calls('DELETE', STREAM, [successOrContinue, withDetails]),
		},
		getMany(
			'live activities',
			'List the Live Activities that the key may update',
			'/live-activity/streams',
			'streams',
		),
		{
			name: 'Send and Wait for Response',
			value: SEND_AND_WAIT,
			action: 'Send live activity and wait for response',
			description: 'Ask a question on a Live Activity, and wait for the answer',
			routing: calls('POST', '/questions', asked),
		},
	]),
	...shownFor({ resource: [resource], operation: ['upsert', 'end'] }, [
		{ ...streamKeyField, ...sendsBy(fillsPath('stream_key', 'streamKey', streamKey)) },
	]),
	...shownFor({ resource: [resource], operation: [SEND_AND_WAIT] }, [
		{ ...streamKeyField, ...sendsBy(sendStreamKey) },
	]),
	...recipientFields(resource, ['upsert'], true),
	...recipientFields(resource, [SEND_AND_WAIT]),
];

const changes = [
	...alertFields,
	dismissAfterMinutes,
	dismissAfterSeconds,
	...tagChangeFields,
	metadataField,
	ifTooLong,
	includeDetails,
	parallelRequests,
];

export const options = [
	optionsField(resource, ['upsert'], changes),
	optionsField(resource, ['end'], changes),
	optionsField(
		resource,
		[SEND_AND_WAIT],
		[...askingFields, afterDecisionField, ...questionLookOptions],
	),
];
