import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { activityButtonFields, activityButtonsOf } from '../../shared/buttons';
import { additionalContentField, mainContentFields } from '../../shared/content-state/fields';
import { contentStateOf } from '../../shared/content-state/read';
import { finalTypeField, TYPES_WITH_TWO_BUTTONS } from '../../shared/content-state/types';
import { dismissAfterMinutes } from '../../shared/dismissal';
import { metadataField, metadataOf } from '../../shared/metadata';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { changedTagsOf, tagChangeFields } from '../../shared/tags';
import { activityIdField, activityIdOf, WHEN_NOT_FOUND } from './activity-id';

const showOnlyForEnd = { resource: ['liveActivityManual'], operation: ['end'] };

export const endFields = shownFor(showOnlyForEnd, [
	activityIdField,
	finalTypeField,
	...mainContentFields({ isStart: false }),
	...activityButtonFields(TYPES_WITH_TWO_BUTTONS),
	...tagChangeFields,
	additionalContentField,
	optionsOf(metadataField, dismissAfterMinutes),
]);

/** service-api.md section 7. */
export function endCall(read: FieldReader): BeckonCall {
	return {
		method: 'POST',
		path: '/live-activity/end',
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
