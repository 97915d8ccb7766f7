import type { INodeProperties } from 'n8n-workflow';

import { SEND_AND_WAIT } from '../../shared/ask/question';
import { sendAndWait } from '../../shared/ask/send-and-wait';
import { sendItems, type Operation } from '../../shared/send-items';
import { sendCall, sendFields, sendOptions } from './send';
import { questionCall, sendAndWaitOptions } from './send-and-wait';

const showOnlyForPushNotifications = { resource: ['pushNotification'] };

export const pushNotificationFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForPushNotifications },
		options: [
			{
				name: 'Send',
				value: 'send',
				action: 'Send a push notification',
				description: 'Send a notification to the lock screen',
			},
			{
				name: 'Send and Wait for Response',
				value: SEND_AND_WAIT,
				action: 'Send a push notification and wait for response',
				description: 'Ask with buttons on the lock screen, and wait until one is tapped',
			},
		],
		default: 'send',
	},
];

/** Shown below the title and the message, which other resources have too. */
export const pushNotificationContentFields: INodeProperties[] = sendFields;

export const pushNotificationOptions = [sendOptions, sendAndWaitOptions];

export const pushNotificationOperations: Record<string, Operation> = {
	send: sendItems(sendCall),
	[SEND_AND_WAIT]: sendAndWait(questionCall),
};
