import type { INodeProperties } from 'n8n-workflow';

import { routingOf } from '../../../../src/send-item';
import { activityIdField } from './activity-id';
import { endCall, endOptions } from './end';
import { startCall, startOptions } from './start';
import { updateCall, updateOptions } from './update';

const showOnlyForManualLiveActivities = { resource: ['liveActivityManual'] };

export const liveActivityManualFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForManualLiveActivities },
		options: [
			{
				name: 'End',
				value: 'end',
				action: 'End a manual live activity',
				description: 'End the Live Activity with this ID',
				routing: routingOf(endCall),
			},
			{
				name: 'Start',
				value: 'start',
				action: 'Start a manual live activity',
				description: 'Start a Live Activity and output its ID',
				routing: routingOf(startCall),
			},
			{
				name: 'Update',
				value: 'update',
				action: 'Update a manual live activity',
				description: 'Change the Live Activity with this ID',
				routing: routingOf(updateCall),
			},
		],
		default: 'start',
	},
	activityIdField,
];

export const liveActivityManualOptions = [startOptions, updateOptions, endOptions];
