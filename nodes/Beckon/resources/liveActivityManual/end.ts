import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { activityButtonsOf } from '../../shared/buttons';
import { contentStateOf } from '../../shared/live-activity/content-state';
import { dismissAfterMinutes } from '../../shared/live-activity/dismissal';
import { metadataField, metadataOf } from '../../shared/metadata';
import { parallelRequests, type OperationOptions } from '../../shared/options';
import { changedTagsOf } from '../../shared/tags';
import { activityIdOf, WHEN_NOT_FOUND } from './activity-id';

export const endOptions: OperationOptions = {
	resource: 'liveActivityManual',
	operation: 'end',
	fields: [metadataField, dismissAfterMinutes, parallelRequests],
};

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
