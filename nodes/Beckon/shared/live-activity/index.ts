import type { INodeProperties } from 'n8n-workflow';

import { SEND_AND_WAIT } from '../ask/question';
import { shownFor } from '../shown-for';
import { activityTypeFields } from './activity-type-fields';
import { CONTENT_OPERATIONS } from './activity-types';
import { additionalContentField, mainContentFields } from './content-fields';

const anyLiveActivity = { resource: ['liveActivity', 'liveActivityManual'] };

const showOnlyForContent = { ...anyLiveActivity, operation: CONTENT_OPERATIONS };

const showOnlyForAnyContent = {
	...anyLiveActivity,
	operation: [...CONTENT_OPERATIONS, SEND_AND_WAIT],
};

/** Shown above the title. */
export const liveActivityTypeFields: INodeProperties[] = shownFor(
	showOnlyForContent,
	activityTypeFields,
);

/** Fields below the title, shared by all operations on Live Activities, streams and manual. */
export const commonLiveActivityFields: INodeProperties[] = [
	...shownFor(showOnlyForContent, mainContentFields),
	...shownFor(showOnlyForAnyContent, [additionalContentField]),
];
