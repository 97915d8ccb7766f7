import type { INodeProperties } from 'n8n-workflow';

import { SEND_AND_WAIT } from '../../shared/ask/question';
import { sendAndWait } from '../../shared/ask/send-and-wait';
import { sendItems, type Operation } from '../../shared/send-items';
import { endCall, endOptions } from './end';
import { questionCall, sendAndWaitOptions } from './send-and-wait';
import { streamKeyField } from './stream-key';
import { upsertCall, upsertOptions } from './upsert';

const showOnlyForLiveActivities = { resource: ['liveActivity'] };

export const liveActivityFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForLiveActivities },
		options: [
			{
				name: 'Create or Update',
				value: 'upsert',
				action: 'Create or update a live activity',
				description: 'Create a new record, or update the current one if it already exists (upsert)',
			},
			{
				name: 'End',
				value: 'end',
				action: 'End a live activity',
				description: 'End the Live Activity and take it off the lock screen',
			},
			{
				name: 'Send and Wait for Response',
				value: SEND_AND_WAIT,
				action: 'Send a live activity and wait for response',
				description: 'Ask with buttons on a Live Activity, and wait until one is tapped',
			},
		],
		default: 'upsert',
	},
	streamKeyField,
];

export const liveActivityOptions = [upsertOptions, endOptions, sendAndWaitOptions];

export const liveActivityOperations: Record<string, Operation> = {
	upsert: sendItems(upsertCall),
	end: sendItems(endCall),
	[SEND_AND_WAIT]: sendAndWait(questionCall),
};
