import type { IAuthenticate, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { trimmed, type Access } from '../src/rules/transport';

/** Tested by the Beckon node: `testAccess`. */
export class BeckonApi implements ICredentialType {
	name = 'beckonApi';

	displayName = 'Beckon API';

	icon: Icon = { light: 'file:../icons/beckon.svg', dark: 'file:../icons/beckon.dark.svg' };

	documentationUrl = 'https://github.com/beckon-dev/beckon/blob/main/docs/n8n.md#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: 'http://localhost:8787/api',
			placeholder: 'e.g. https://beckon.example.com/api',
			description: 'The address of the Beckon server, with /api at its end',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The key that beckon-server key create printed, or the console showed',
		},
	];

	/** Says where a request goes, too, so the nodes need not. Not an expression, which n8n cannot evaluate in the requests of a trigger. */
	authenticate: IAuthenticate = async (access, request) => {
		const { baseUrl: baseURL, apiKey } = trimmed(access as unknown as Access);
		const headers = { ...request.headers, Authorization: `Bearer ${apiKey}` };
		return { ...request, baseURL, headers };
	};
}
