import type { INodeProperties } from 'n8n-workflow';

import { routingOf } from '../../../../src/send-item';
import { clearCall, clearOptions } from './clear';
import { setCall, setFields, setOptions } from './set';

const showOnlyForBadges = { resource: ['badge'] };

export const badgeFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForBadges },
		options: [
			{
				name: 'Clear',
				value: 'clear',
				action: 'Clear the app icon badge',
				description: 'Remove the number from the app icon',
				routing: routingOf(clearCall),
			},
			{
				name: 'Set',
				value: 'set',
				action: 'Set the app icon badge',
				description: 'Set the number on the app icon',
				routing: routingOf(setCall),
			},
		],
		default: 'set',
	},
	...setFields,
];

export const badgeOptions = [setOptions, clearOptions];
