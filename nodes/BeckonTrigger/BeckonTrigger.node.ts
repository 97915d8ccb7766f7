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
					'To make a button that starts this workflow, add a Button in a Beckon node, choose Start a Workflow (Beckon Trigger), fill in the Production URL from above, and choose the same credential there. The Beckon server must be able to reach this n8n.',
				name: 'howTo',
				type: 'notice',
				default: '',
			},
		],
	};

	methods = { credentialTest: { testTriggerSecret } };

	webhook = receiveTap;
}
