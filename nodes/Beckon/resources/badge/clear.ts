import type { BeckonCall } from '../../../../src/call';
import type { FieldReader } from '../../../../src/field-reader';
import { channelsField } from '../../shared/channels';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { badgeCall } from './call';

const showOnlyForClear = { resource: ['badge'], operation: ['clear'] };

export const clearFields = shownFor(showOnlyForClear, [optionsOf(channelsField)]);

/** service-api.md section 1: zero clears. */
export function clearCall(read: FieldReader): BeckonCall {
	return badgeCall(read, 0);
}
