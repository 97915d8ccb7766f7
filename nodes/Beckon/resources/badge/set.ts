import type { BeckonCall } from '../../../../src/call';
import type { FieldReader } from '../../../../src/field-reader';
import { badgeCount } from '../../../../src/rules';
import { channelsField } from '../../shared/channels';
import { parallelRequests, type OperationOptions } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { badgeCall } from './call';

const showOnlyForSet = { resource: ['badge'], operation: ['set'] };

export const setFields = shownFor(showOnlyForSet, [
	{
		displayName: 'Badge',
		name: 'badge',
		type: 'number',
		typeOptions: { minValue: 0 },
		required: true,
		default: 1,
		description: 'The number to show on the app icon; 0 removes it',
	},
]);

export const setOptions: OperationOptions = {
	resource: 'badge',
	operation: 'set',
	fields: [channelsField, parallelRequests],
};

/** service-api.md section 1. */
export function setCall(read: FieldReader): BeckonCall {
	return badgeCall(read, read.required('badge', read.wholeNumber('badge', 'badge', badgeCount)));
}
