import { choice, field, shownIf } from './field';
import { CONTENT_OPERATIONS } from './live-activity/activity-types';

/**
 * A setting, like that of n8n's HTTP Request for certificates: a row's choice cannot show a
 * credential, and few nodes have a button that starts a workflow. Not a boolean: n8n would take it
 * for a choice between the node's two credentials, and list neither.
 */
export const triggerCredentialField = field('Trigger Credential', 'triggerCredential', {
	description: 'For buttons of this node that start the workflow of a Beckon Trigger',
	...choice('none', { beckonTrigger: 'Beckon Trigger', none: 'None' }),
	isNodeSetting: true,
	noDataExpression: true,
	...shownIf({ operation: ['send', ...CONTENT_OPERATIONS] }),
});
