import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { testTriggerSecret } from '../shared/webhooks/trigger-secret';
import { receiveTap, tapWebhooks } from './webhook';

export class BeckonTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Beckon Trigger',
		name: 'beckonTrigger',
		icon: { light: 'file:../../icons/beckon.svg', dark: 'file:../../icons/beckon.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: 'On button tap',
		// n8n lists this node and the Beckon node as one, under this description.
		description:
			'Send push notifications, Live Activities, badges and metrics to your phone, and start workflows when a button is tapped',
		eventTriggerDescription: 'Waiting for you to tap a button that calls the Test URL',
		activationMessage: 'You can now tap buttons that call the Production URL.',
		defaults: { name: 'Beckon Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'beckonTriggerApi', required: true, testedBy: 'testTriggerSecret' }],
		webhooks: tapWebhooks,
		properties: [
			{
				displayName:
					'To make a button that starts this workflow: in a Beckon node, add a Button, set When Tapped to Start a Workflow (Beckon Trigger), and paste the Production URL (above, under Webhook URLs). Set Trigger Credential under the node’s Settings, then choose this credential under Parameters. Activate or publish this workflow. The Beckon server must be able to reach this n8n.',
				name: 'howTo',
				type: 'notice',
				default: '',
			},
		],
	};

	methods = { credentialTest: { testTriggerSecret } };

	webhook = receiveTap;
}
