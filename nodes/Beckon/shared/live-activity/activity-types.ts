export type ActivityType =
	'segmented_progress' | 'progress' | 'metrics' | 'stats' | 'alert' | 'timer' | 'value';

/** Not a type of the service: the request omits the type, and the activity keeps its own. */
export const KEEP_TYPE = 'keep';

/** In the service's own order, which its messages use. */
export const ACTIVITY_TYPES: readonly ActivityType[] = [
	'segmented_progress',
	'progress',
	'metrics',
	'stats',
	'alert',
	'timer',
	'value',
];

const WITH_ONE_BUTTON: readonly string[] = ['timer', 'metrics', 'stats'];

export const TYPES_WITH_TWO_BUTTONS = [
	...ACTIVITY_TYPES.filter((type) => !WITH_ONE_BUTTON.includes(type)),
	KEEP_TYPE,
];

/** The same types have room for a badge. */
export const TYPES_WITH_BADGE = TYPES_WITH_TWO_BUTTONS;

/** The operations with content of every type; a question has the content of an alert. */
export const CONTENT_OPERATIONS = ['start', 'upsert', 'update', 'end'];
