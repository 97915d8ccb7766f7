import type { Values } from './fields.ts';
import type { RequestName } from './requests.ts';

interface Template {
	name: string;
	request: RequestName;
	key?: string;
	/** Undefined: the values of the request's example. */
	values?: Values;
}

/** What workflows send most, to start from. */
export const TEMPLATES: readonly Template[] = [
	{
		name: 'Approval',
		request: 'question',
	},
	{
		name: 'Deployment',
		request: 'stream',
		key: 'deployment',
	},
	{
		name: 'Backup',
		request: 'stream',
		key: 'backup',
		values: {
			'content_state.type': 'progress',
			'content_state.title': 'Nightly backup',
			'content_state.subtitle': 'Copying files',
			'content_state.percentage': 40,
			'content_state.color': 'green',
			'content_state.icon.symbol': 'internaldrive',
		},
	},
	{
		name: 'Alert',
		request: 'push',
		values: {
			title: 'db-2 does not answer',
			message: 'No reply for 2 minutes',
			interruption_level: 'time-sensitive',
			tags: ['alert'],
		},
	},
];
