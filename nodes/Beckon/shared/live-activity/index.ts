import type { INodeProperties } from 'n8n-workflow';

import { SEND_AND_WAIT } from '../ask/question';
import { activityButtonFields } from '../buttons';
import { shownFor } from '../shown-for';
import { tagChangeFields } from '../tags';
import { activityTypeFields } from './activity-types';
import { additionalContentField, mainContentFields } from './content-fields';

const anyLiveActivity = { resource: ['liveActivity', 'liveActivityManual'] };

const showOnlyForChanges = { ...anyLiveActivity, operation: ['upsert', 'update', 'end'] };

const showOnlyForContent = { ...anyLiveActivity, operation: ['start', 'upsert', 'update', 'end'] };

const showOnlyForAnyContent = {
	...anyLiveActivity,
	operation: [...showOnlyForContent.operation, SEND_AND_WAIT],
};

/**
 * What all operations on Live Activities have, streams or manual. Declared once for all of them:
 * n8n resolves the expressions of a field for every declaration of its name, shown or not.
 */
export const commonLiveActivityFields: INodeProperties[] = [
	...shownFor(showOnlyForContent, [
		...activityTypeFields,
		...mainContentFields,
		...activityButtonFields,
	]),
	...shownFor(showOnlyForChanges, tagChangeFields),
	...shownFor(showOnlyForAnyContent, [additionalContentField]),
];
