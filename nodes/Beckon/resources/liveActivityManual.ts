import type { INodeProperties } from 'n8n-workflow';

import { successOnly, withDetails, type Received } from '../../shared/declared/received';
import { alertFields, dismissAfterMinutes } from '../shared/live-activity/option-fields';
import { metadataField } from '../shared/object-option';
import { calls, field, operationField, sends, shownFor } from '../shared/field';
import { ifTooLong, includeDetails, optionsField, parallelRequests } from '../shared/options';
import { recipientFields } from '../shared/recipients';
import { tagChangeFields, tagsField } from '../shared/tags';

const resource = 'liveActivityManual';

const successOrStartAnew = successOnly(
	'Use the activity_id output by the Start operation, and start a new Live Activity when this one has ended.',
);

const calling = (what: string, received: Received) =>
	calls('POST', `/live-activity/${what}`, [received, withDetails], { content_state: {} });

/** The legacy group: the published API's calls by `activity_id`, which a stream's key replaces. */
export const fields: INodeProperties[] = [
	operationField(resource, 'start', [
		{
			name: 'End',
			value: 'end',
			action: 'End live activity by ID',
			description: 'End the Live Activity with this ID',
			routing: calling('end', successOrStartAnew),
		},
		{
			name: 'Start',
			value: 'start',
			action: 'Start live activity and get its ID',
			description: 'Start a Live Activity and output its ID',
			routing: calling('start', successOnly()),
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update live activity by ID',
			description: 'Change the Live Activity with this ID',
			routing: calling('update', successOrStartAnew),
		},
	]),
	...recipientFields(resource, ['start']),
	...shownFor({ resource: [resource], operation: ['update', 'end'] }, [
		field('Activity ID', 'activityId', {
			description: 'The activity_id output by the Start operation',
			required: true,
			placeholder: 'e.g. {{ $json.activity_id }}',
			...sends('activity_id'),
		}),
	]),
];

const changes = [...tagChangeFields, metadataField, ifTooLong, includeDetails, parallelRequests];

export const options = [
	optionsField(
		resource,
		['start'],
		[...alertFields, tagsField, metadataField, ifTooLong, includeDetails, parallelRequests],
	),
	optionsField(resource, ['update'], changes),
	optionsField(resource, ['end'], [dismissAfterMinutes, ...changes]),
];
