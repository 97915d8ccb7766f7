import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { alertFields, alertOf } from '../../shared/alert';
import { activityButtonFields, activityButtonsOf } from '../../shared/buttons';
import { channelsField, targetOf } from '../../shared/channels';
import { additionalContentField, mainContentFields } from '../../shared/content-state/fields';
import { contentStateOf } from '../../shared/content-state/read';
import { activityTypeField, TYPES_WITH_TWO_BUTTONS } from '../../shared/content-state/types';
import { metadataField, metadataOf } from '../../shared/metadata';
import { optionsOf } from '../../shared/options';
import { shownFor } from '../../shared/shown-for';
import { tagsField, tagsOf } from '../../shared/tags';

const showOnlyForStart = { resource: ['liveActivityManual'], operation: ['start'] };

export const startFields = shownFor(showOnlyForStart, [
	activityTypeField({ canKeep: false }),
	...mainContentFields({ isStart: true }),
	...activityButtonFields(TYPES_WITH_TWO_BUTTONS),
	additionalContentField,
	optionsOf(channelsField, metadataField, tagsField, ...alertFields),
]);

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
