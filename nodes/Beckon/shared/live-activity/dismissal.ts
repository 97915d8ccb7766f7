import type { INodeProperties } from 'n8n-workflow';

/** For the options of operations after which an activity can leave the lock screen. */
export const dismissAfterMinutes: INodeProperties = {
	displayName: 'Dismiss After (Minutes)',
	name: 'autoDismissMinutes',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 3,
	description: 'How long the ended Live Activity stays on the lock screen, up to four hours',
	routing: { send: { type: 'body', property: 'content_state.auto_dismiss_minutes' } },
};

export const dismissAfterSeconds: INodeProperties = {
	displayName: 'Dismiss After (Seconds)',
	name: 'autoDismissSeconds',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 30,
	description: 'The same as Dismiss After (Minutes), in seconds. It wins if both are given.',
	routing: { send: { type: 'body', property: 'content_state.auto_dismiss_seconds' } },
};
