import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { activityButtonFields, activityButtonsOf } from '../../shared/buttons';
import { additionalContentField, mainContentFields } from '../../shared/content-state/fields';
import { contentStateOf } from '../../shared/content-state/read';
import { activityTypeField, TYPES_WITH_TWO_BUTTONS } from '../../shared/content-state/types';
import { metadataField, metadataOf } from '../../shared/metadata';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { changedTagsOf, tagChangeFields } from '../../shared/tags';
import { activityIdField, activityIdOf, WHEN_NOT_FOUND } from './activity-id';

const showOnlyForUpdate = { resource: ['liveActivityManual'], operation: ['update'] };

export const updateFields = shownFor(showOnlyForUpdate, [
	activityIdField,
	activityTypeField({ canKeep: true }),
	...mainContentFields({ isStart: false }),
	...activityButtonFields(TYPES_WITH_TWO_BUTTONS),
	...tagChangeFields,
	additionalContentField,
	optionsOf(metadataField),
]);

/** service-api.md section 6. */
export function updateCall(read: FieldReader): BeckonCall {
	return {
		method: 'POST',
		path: '/live-activity/update',
		body: compact({
			activity_id: activityIdOf(read),
			content_state: contentStateOf(read, { isStart: false }),
			...activityButtonsOf(read),
			tags: changedTagsOf(read),
			metadata: metadataOf(read),
		}),
		whenNotFound: WHEN_NOT_FOUND,
	};
}
