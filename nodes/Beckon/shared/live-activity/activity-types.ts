import { ACTIVITY_TYPES, TYPES_WITH_ONE_BUTTON } from '../../../shared/fields/bounds';

export type ActivityType = (typeof ACTIVITY_TYPES)[number];

/** Not a type of the service: the request omits the type, and the activity keeps its own. */
export const KEEP_TYPE = 'keep';

export const TYPES_WITH_TWO_BUTTONS = [
	...ACTIVITY_TYPES.filter((type) => !TYPES_WITH_ONE_BUTTON.includes(type)),
	KEEP_TYPE,
];

/** The same types have room for a badge. */
export const TYPES_WITH_BADGE = TYPES_WITH_TWO_BUTTONS;

/** The operations with content of every type; a question has the content of an alert. */
export const CONTENT_OPERATIONS = ['start', 'upsert', 'update', 'end'];
