import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { alertFields, alertOf } from '../../shared/live-activity/alert';
import { activityButtonsOf } from '../../shared/buttons';
import { channelsOf, streamChannelsField } from '../../shared/channels';
import { contentStateOf } from '../../shared/live-activity/content-state';
import { dismissAfterMinutes, dismissAfterSeconds } from '../../shared/live-activity/dismissal';
import { metadataField, metadataOf } from '../../shared/metadata';
import { parallelRequests, type OperationOptions } from '../../shared/options';
import { changedTagsOf } from '../../shared/tags';
import { streamPathOf } from './stream-key';

export const upsertOptions: OperationOptions = {
	resource: 'liveActivity',
	operation: 'upsert',
	fields: [
		streamChannelsField,
		metadataField,
		...alertFields,
		dismissAfterMinutes,
		dismissAfterSeconds,
		parallelRequests,
	],
};

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
