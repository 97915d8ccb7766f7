import { dismissalBounds } from '../../../shared/fields/bounds';
import { field, numeric, sends } from '../field';

/** For the options of operations after which an activity can leave the lock screen. */
export const dismissAfterMinutes = field('Dismiss After (Minutes)', 'autoDismissMinutes', {
	description: 'How long the ended Live Activity stays on the lock screen, up to four hours',
	...numeric(dismissalBounds, 3),
	...sends('content_state.auto_dismiss_minutes'),
});

export const dismissAfterSeconds = field('Dismiss After (Seconds)', 'autoDismissSeconds', {
	description: 'The same as Dismiss After (Minutes), in seconds. It wins if both are given.',
	...numeric(dismissalBounds, 30),
	...sends('content_state.auto_dismiss_seconds'),
});

/** For the options of operations that may make the phone ring. */
export const alertFields = [
	field('Alert Title', 'alertTitle', {
		description:
			'Makes the phone sound and light up with this title; without an alert the change is silent',
		...sends('alert.title'),
	}),
	field('Alert Body', 'alertBody', {
		description: 'The text under the alert title',
		...sends('alert.body'),
	}),
];
