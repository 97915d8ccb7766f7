import { field, sends } from '../field';

/** For the options of operations that may make the phone ring. */
export const alertFields = [
	field(
		'Alert Title',
		'alertTitle',
		'Makes the phone sound and light up with this title. Without an alert the change is silent.',
		sends('alert.title'),
	),
	field('Alert Body', 'alertBody', 'The text under the alert title', sends('alert.body')),
];
