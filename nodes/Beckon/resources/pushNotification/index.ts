import type { INodeProperties } from 'n8n-workflow';

import { routingOf } from '../../../../src/send-item';
import { SEND_AND_WAIT } from '../../shared/ask/question';
import { sendCall, sendFields, sendOptions } from './send';
import { sendAndWaitOptions } from './send-and-wait';

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
				routing: routingOf(sendCall),
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
