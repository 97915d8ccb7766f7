import type { INodeProperties } from 'n8n-workflow';

import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';

/** For the options of operations whose change may make the phone ring. */
export const alertFields: INodeProperties[] = [
	{
		displayName: 'Alert Title',
		name: 'alertTitle',
		type: 'string',
		default: '',
		description:
			'Makes the phone sound and light up with this title. Without an alert the change is silent.',
	},
	{
		displayName: 'Alert Body',
		name: 'alertBody',
		type: 'string',
		default: '',
		description: 'The text under the alert title',
	},
];

export function alertOf(read: FieldReader): object | undefined {
	const inside = read.inside('alert');
	const alert = compact({
		title: inside.text('title', 'options.alertTitle'),
		body: inside.text('body', 'options.alertBody'),
	});
	return Object.keys(alert).length > 0 ? alert : undefined;
}
