import type { INodeProperties } from 'n8n-workflow';

import { routingOf } from '../../../../src/send-item';
import { sendCall, sendFields } from './send';

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
		],
		default: 'send',
	},
	...sendFields,
];
