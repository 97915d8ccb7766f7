import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { activityButtonsOf } from '../../shared/buttons';
import { contentStateOf } from '../../shared/live-activity/content-state';
import { metadataField, metadataOf } from '../../shared/metadata';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { changedTagsOf } from '../../shared/tags';
import { activityIdOf, WHEN_NOT_FOUND } from './activity-id';

const showOnlyForUpdate = { resource: ['liveActivityManual'], operation: ['update'] };

export const updateOptions = shownFor(showOnlyForUpdate, [optionsOf(metadataField)]);

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
