import type { INodeProperties } from 'n8n-workflow';

import { CONTENT_OPERATIONS } from './live-activity/activity-types';

/**
 * A setting, as n8n's HTTP Request has one for certificates: n8n cannot show a credential because of a
 * row's choice, and few nodes have a button that starts a workflow.
 */
export const triggerCredentialField: INodeProperties = {
	displayName: 'Trigger Credential',
	name: 'triggerCredential',
	type: 'boolean',
	isNodeSetting: true,
	noDataExpression: true,
	default: false,
	displayOptions: { show: { operation: ['send', ...CONTENT_OPERATIONS] } },
	description:
		'Whether to choose the credential of the Beckon Trigger whose workflow a button of this node starts',
};
