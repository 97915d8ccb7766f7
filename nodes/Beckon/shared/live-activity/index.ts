import type { INodeProperties } from 'n8n-workflow';

import { SEND_AND_WAIT } from '../ask/question';
import { activityButtonFields } from '../buttons';
import { shownFor } from '../shown-for';
import { tagChangeFields } from '../tags';
import { activityTypeFields } from './activity-type-fields';
import { additionalContentField, mainContentFields } from './content-fields';

const anyLiveActivity = { resource: ['liveActivity', 'liveActivityManual'] };

const showOnlyForChanges = { ...anyLiveActivity, operation: ['upsert', 'update', 'end'] };

const showOnlyForContent = { ...anyLiveActivity, operation: ['start', 'upsert', 'update', 'end'] };

const showOnlyForAnyContent = {
	...anyLiveActivity,
	operation: [...showOnlyForContent.operation, SEND_AND_WAIT],
};

/** Shown above the title. */
export const liveActivityTypeFields: INodeProperties[] = shownFor(
	showOnlyForContent,
	activityTypeFields,
);

/** What all operations on Live Activities have below the title, streams or manual. */
export const commonLiveActivityFields: INodeProperties[] = [
	...shownFor(showOnlyForContent, [...mainContentFields, ...activityButtonFields]),
	...shownFor(showOnlyForChanges, tagChangeFields),
	...shownFor(showOnlyForAnyContent, [additionalContentField]),
];
