import type { BeckonCall } from '../../../../src/call';
import type { FieldReader } from '../../../../src/field-reader';
import { channelsField } from '../../shared/channels';
import { parallelRequests, type OperationOptions } from '../../shared/options';
import { badgeCall } from './call';

export const clearOptions: OperationOptions = {
	resource: 'badge',
	operation: 'clear',
	fields: [channelsField, parallelRequests],
};

/** service-api.md section 1: zero clears. */
export function clearCall(read: FieldReader): BeckonCall {
	return badgeCall(read, 0);
}
