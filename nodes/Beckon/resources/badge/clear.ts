import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { channelsField, targetOf } from '../../shared/channels';
import { optionsOf } from '../../shared/options';

const showOnlyForClear = { show: { resource: ['badge'], operation: ['clear'] } };

export const clearFields = updateDisplayOptions(showOnlyForClear, [
	optionsOf(channelsField),
] satisfies INodeProperties[]);

/** service-api.md section 1: zero clears. */
export function clearCall(read: FieldReader): BeckonCall {
	return { method: 'POST', path: '/badge', body: compact({ badge: 0, target: targetOf(read) }) };
}
