import type { INodeProperties } from 'n8n-workflow';

import { successOnly, withDetails, without } from '../../shared/declared/received';
import { calls, badgeNumber, field, operationField, sends, shownFor } from '../shared/field';
import { includeDetails, optionsField, parallelRequests } from '../shared/options';
import { recipientFields } from '../shared/recipients';

const resource = 'badge';

const withoutAliases = without('devices_notified', 'users_notified');

export const fields: INodeProperties[] = [
	operationField(resource, 'set', [
		{
			name: 'Clear',
			value: 'clear',
			action: 'Clear app icon badge',
			description: 'Remove the number from the app icon',
			routing: calls('POST', '/badge', [successOnly(), withoutAliases, withDetails], { badge: 0 }),
		},
		{
			name: 'Set',
			value: 'set',
			action: 'Set app icon badge',
			description: 'Set the number on the app icon',
			routing: calls('POST', '/badge', [successOnly(), withoutAliases, withDetails]),
		},
	]),
	...recipientFields(resource, ['set', 'clear']),
	...shownFor({ resource: [resource], operation: ['set'] }, [
		field('Badge', 'badge', {
			description: 'The number to show on the app icon; 0 removes it',
			...badgeNumber,
			required: true,
			...sends('badge'),
		}),
	]),
];

export const options = [
	optionsField(resource, ['set', 'clear'], [includeDetails, parallelRequests]),
];
