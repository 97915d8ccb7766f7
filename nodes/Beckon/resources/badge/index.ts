import type { INodeProperties } from 'n8n-workflow';

import { sendItems, type Operation } from '../../shared/send-items';
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
			},
			{
				name: 'Set',
				value: 'set',
				action: 'Set the app icon badge',
				description: 'Set the number on the app icon',
			},
		],
		default: 'set',
	},
	...setFields,
];

export const badgeOptions = [setOptions, clearOptions];

export const badgeOperations: Record<string, Operation> = {
	clear: sendItems(clearCall),
	set: sendItems(setCall),
};
