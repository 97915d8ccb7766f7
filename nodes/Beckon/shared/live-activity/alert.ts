import type { INodeProperties } from 'n8n-workflow';

/** For the options of operations that may make the phone ring. */
export const alertFields: INodeProperties[] = [
	{
		displayName: 'Alert Title',
		name: 'alertTitle',
		type: 'string',
		default: '',
		description:
			'Makes the phone sound and light up with this title. Without an alert the change is silent.',
		routing: { send: { type: 'body', property: 'alert.title' } },
	},
	{
		displayName: 'Alert Body',
		name: 'alertBody',
		type: 'string',
		default: '',
		description: 'The text under the alert title',
		routing: { send: { type: 'body', property: 'alert.body' } },
	},
];
