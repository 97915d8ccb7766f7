import type { INodeProperties } from 'n8n-workflow';

import { activityButtonFields } from '../buttons';
import { shownFor } from '../shown-for';
import { tagChangeFields } from '../tags';
import { activityTypeFields } from './activity-types';
import { additionalContentField, mainContentFields } from './content-fields';

const showOnlyForAnyLiveActivity = { resource: ['liveActivity', 'liveActivityManual'] };

const showOnlyForChanges = {
	...showOnlyForAnyLiveActivity,
	operation: ['upsert', 'update', 'end'],
};

/**
 * What all operations on Live Activities have, streams or manual. Declared once for all of them:
 * n8n resolves the expressions of a field for every declaration of its name, shown or not.
 */
export const commonLiveActivityFields: INodeProperties[] = [
	...shownFor(showOnlyForAnyLiveActivity, [
		...activityTypeFields,
		...mainContentFields,
		...activityButtonFields,
	]),
	...shownFor(showOnlyForChanges, tagChangeFields),
	...shownFor(showOnlyForAnyLiveActivity, [additionalContentField]),
];
