import { shownFor } from '../field';
import { activityTypeFields } from './activity-type-fields';
import { CONTENT_OPERATIONS } from './activity-types';
import { additionalContentField, mainContentFields, titleField } from './content-fields';

const show = { resource: ['liveActivity', 'liveActivityManual'], operation: CONTENT_OPERATIONS };

/** The content that is read first: the type, the title and what the type shows. */
export const liveActivityContentFields = shownFor(show, [
	...activityTypeFields,
	titleField,
	...mainContentFields,
]);

export const additionalContentFields = shownFor(show, [additionalContentField]);
