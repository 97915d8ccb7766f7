import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { alertFields, alertOf } from '../../shared/alert';
import { activityButtonFields, activityButtonsOf } from '../../shared/buttons';
import { channelsField, channelsOf } from '../../shared/channels';
import { additionalContentField, mainContentFields } from '../../shared/content-state/fields';
import { contentStateOf } from '../../shared/content-state/read';
import { activityTypeField, TYPES_WITH_TWO_BUTTONS } from '../../shared/content-state/types';
import { dismissAfterMinutes, dismissAfterSeconds } from '../../shared/dismissal';
import { metadataField, metadataOf } from '../../shared/metadata';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { changedTagsOf, tagChangeFields } from '../../shared/tags';
import { streamKeyField, streamPathOf } from './stream-key';

const showOnlyForUpsert = { resource: ['liveActivity'], operation: ['upsert'] };

export const upsertFields = shownFor(showOnlyForUpsert, [
	streamKeyField,
	activityTypeField({ canKeep: true }),
	...mainContentFields({ isStart: false }),
	...activityButtonFields(TYPES_WITH_TWO_BUTTONS),
	...tagChangeFields,
	additionalContentField,
	optionsOf(channelsField, metadataField, ...alertFields, dismissAfterMinutes, dismissAfterSeconds),
]);

/** service-api.md section 3. */
export function upsertCall(read: FieldReader): BeckonCall {
	return {
		method: 'PUT',
		path: streamPathOf(read),
		body: compact({
			content_state: contentStateOf(read, { isStart: false }),
			...activityButtonsOf(read),
			alert: alertOf(read),
			channels: channelsOf(read),
			tags: changedTagsOf(read),
			metadata: metadataOf(read),
		}),
	};
}
