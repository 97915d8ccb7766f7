import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/** Shared by the Beckon Trigger and the buttons that call it, so no workflow holds the secret. */
export class BeckonTriggerApi implements ICredentialType {
	name = 'beckonTriggerApi';

	displayName = 'Beckon Trigger API';

	icon: Icon = { light: 'file:../icons/beckon.svg', dark: 'file:../icons/beckon.dark.svg' };

	documentationUrl =
		'https://github.com/beckon-dev/beckon/blob/main/docs/n8n.md#start-a-workflow-from-a-button';

	properties: INodeProperties[] = [
		{
			displayName: 'Secret',
			name: 'secret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			hint: 'At least 16 random characters, for example from <code>openssl rand -hex 24</code>',
			description:
				'A long random text that buttons have to know to start a workflow. They send it in the body of their call, as {"secret": …, "data": …}, never in a URL, because URLs end up in logs. It is not part of the output.',
		},
	];
}
