import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { badgeCount } from '../../../../src/rules';
import { channelsField, targetOf } from '../../shared/channels';
import { optionsOf } from '../../shared/options';

const showOnlyForSet = { show: { resource: ['badge'], operation: ['set'] } };

export const setFields = updateDisplayOptions(showOnlyForSet, [
	{
		displayName: 'Badge',
		name: 'badge',
		type: 'number',
		typeOptions: { minValue: 0 },
		required: true,
		default: 1,
		description: 'The number to show on the app icon; 0 removes it',
	},
	optionsOf(channelsField),
] satisfies INodeProperties[]);

/** service-api.md section 1. */
export function setCall(read: FieldReader): BeckonCall {
	const badge = read.required('badge', read.wholeNumber('badge', 'badge', badgeCount));
	return { method: 'POST', path: '/badge', body: compact({ badge, target: targetOf(read) }) };
}
