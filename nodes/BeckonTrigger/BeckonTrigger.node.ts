import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { collection } from '../Beckon/shared/field';
import { includeDetails } from '../Beckon/shared/options';
import { requestOptionsField } from '../Beckon/shared/request-options';
import { testAccess } from '../shared/credential-test';
import { listenForTaps } from './listen';

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
		eventTriggerDescription: 'Waiting for you to tap a button that starts this workflow',
		activationMessage:
			'Buttons can now start this workflow. To send one, press Add Button in a Beckon node, set When Tapped to Start a Workflow, and choose this workflow.',
		triggerPanel: {
			header: '',
			executionsHelp: {
				inactive:
					'<b>While building your workflow</b>, click Execute step, then tap a button that starts it. The first tap runs it once in the editor.<br /><br /><b>Once it works</b>, publish it (n8n 1: activate it). Every tap then runs it, listed under Executions.',
				active:
					'<b>While building your workflow</b>, click Execute step, then tap a button that starts it. The editor gets a copy of the tap.<br /><br /><b>The published or active workflow</b> runs for every tap, listed under Executions.',
			},
			activationHint: 'Activate or publish this workflow, so that every tap starts it.',
		},
		defaults: { name: 'Beckon Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'beckonApi', required: true, testedBy: 'testAccess' }],
		properties: [
			{
				// n8n lists the trigger by this action; otherwise, it calls it "On new Beckon event".
				displayName: 'Event',
				name: 'event',
				type: 'hidden',
				default: 'tap',
				options: [{ name: 'Button Tapped', value: 'tap', action: 'On button tap' }],
			},
			{
				displayName:
					'To make a button that starts this workflow: publish it (n8n 1: activate it). Then, in a Beckon node of another workflow, press Add Button, set When Tapped to Start a Workflow, and choose this workflow.',
				name: 'howTo',
				type: 'notice',
				default: '',
			},
			collection('Options', 'options', 'Add option', [
				{
					...includeDetails,
					description:
						'Whether to output the ID of the history entry of the message with the button, which tells what became of it on each phone',
				},
			]),
			requestOptionsField,
		],
	};

	methods = { credentialTest: { testAccess } };

	trigger = listenForTaps;
}
