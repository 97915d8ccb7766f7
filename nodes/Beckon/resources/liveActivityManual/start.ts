import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { alertFields, alertOf } from '../../shared/live-activity/alert';
import { activityButtonsOf } from '../../shared/buttons';
import { channelsField, targetOf } from '../../shared/channels';
import { contentStateOf } from '../../shared/live-activity/content-state';
import { metadataField, metadataOf } from '../../shared/metadata';
import { parallelRequests, type OperationOptions } from '../../shared/options';
import { tagsField, tagsOf } from '../../shared/tags';

export const startOptions: OperationOptions = {
	resource: 'liveActivityManual',
	operation: 'start',
	fields: [channelsField, metadataField, tagsField, ...alertFields, parallelRequests],
};

/** service-api.md section 5. */
export function startCall(read: FieldReader): BeckonCall {
	return {
		method: 'POST',
		path: '/live-activity/start',
		body: compact({
			content_state: contentStateOf(read, { isStart: true }),
			...activityButtonsOf(read),
			alert: alertOf(read),
			target: targetOf(read),
			tags: tagsOf(read),
			metadata: metadataOf(read),
		}),
	};
}
