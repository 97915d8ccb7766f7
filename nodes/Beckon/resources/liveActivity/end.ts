import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { alertFields, alertOf } from '../../shared/live-activity/alert';
import { activityButtonsOf } from '../../shared/buttons';
import { contentStateOf } from '../../shared/live-activity/content-state';
import { dismissAfterMinutes, dismissAfterSeconds } from '../../shared/live-activity/dismissal';
import { metadataField, metadataOf } from '../../shared/metadata';
import { parallelRequests, type OperationOptions } from '../../shared/options';
import { changedTagsOf } from '../../shared/tags';
import { streamPathOf } from './stream-key';

export const endOptions: OperationOptions = {
	resource: 'liveActivity',
	operation: 'end',
	fields: [
		metadataField,
		...alertFields,
		dismissAfterMinutes,
		dismissAfterSeconds,
		parallelRequests,
	],
};

/** service-api.md section 4: without any content the stream ends in its latest state. */
export function endCall(read: FieldReader): BeckonCall {
	const contentState = contentStateOf(read, { isStart: false });
	return {
		method: 'DELETE',
		path: streamPathOf(read),
		body: compact({
			content_state: Object.keys(contentState).length > 0 ? contentState : undefined,
			...activityButtonsOf(read),
			alert: alertOf(read),
			tags: changedTagsOf(read),
			metadata: metadataOf(read),
		}),
		whenNotFound:
			'To go on when nothing is there to end, set On Error to Continue in the settings of this node.',
	};
}
