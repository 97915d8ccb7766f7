import type { Values } from './fields.ts';
import type { RequestName } from './requests.ts';

interface Template {
	name: string;
	request: RequestName;
	key?: string;
	values: Values;
}

/** What workflows send most, to start from. */
export const TEMPLATES: readonly Template[] = [
	{
		name: 'Approval',
		request: 'question',
		values: {
			title: 'Approve the refund?',
			message: 'Order 1042, 42 €',
			choices: [
				{ id: 'approve', title: 'Approve' },
				{ id: 'decline', title: 'Decline', destructive: 'true' },
			],
		},
	},
	{
		name: 'Deployment',
		request: 'stream',
		key: 'deployment',
		values: {
			'content_state.type': 'segmented_progress',
			'content_state.title': 'Deployment',
			'content_state.subtitle': 'Running the tests',
			'content_state.number_of_steps': 4,
			'content_state.current_step': 2,
			'content_state.color': 'purple',
			'content_state.icon.symbol': 'shippingbox',
		},
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
