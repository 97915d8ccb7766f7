import type { INodeProperties } from 'n8n-workflow';

import { sendItems, type Operation } from '../../shared/send-items';
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
			},
			{
				name: 'Start',
				value: 'start',
				action: 'Start a manual live activity',
				description: 'Start a Live Activity and output its ID',
			},
			{
				name: 'Update',
				value: 'update',
				action: 'Update a manual live activity',
				description: 'Change the Live Activity with this ID',
			},
		],
		default: 'start',
	},
	activityIdField,
];

export const liveActivityManualOptions = [startOptions, updateOptions, endOptions];

export const liveActivityManualOperations: Record<string, Operation> = {
	end: sendItems(endCall),
	start: sendItems(startCall),
	update: sendItems(updateCall),
};
