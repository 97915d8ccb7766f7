import type { INodeProperties } from 'n8n-workflow';

import type { FieldReader } from '../../../../src/field-reader';

export const activityIdField: INodeProperties = {
	displayName: 'Activity ID',
	name: 'activityId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.activity_id }}',
	displayOptions: { show: { resource: ['liveActivityManual'], operation: ['update', 'end'] } },
	description: 'The activity_id that the Start operation has output',
};

export function activityIdOf(read: FieldReader): string | undefined {
	return read.required('activity_id', read.text('activity_id', 'activityId'));
}

export const WHEN_NOT_FOUND =
	'Use the activity_id that the Start operation has output, and start a new Live Activity when this one has ended.';
