import type {
	IAuthenticateGeneric,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

const WRONG_KEY =
	'The API key is wrong or was revoked. Create one on the server: beckon-server key create';

const WRONG_ADDRESS =
	'This does not look like a Beckon server. Check the Base URL: it ends with /api, like http://localhost:8787/api';

/** A stream that nobody has, so that asking to end it reaches no phone. */
const NO_STREAM = 'n8n-credential-test-3f9c1d7ae5b84260';

/** Statuses by which something answers that is no Beckon server. */
const FOREIGN_STATUSES = [400, 403, 405, 406, 410, 415, 500, 501, 502, 503, 504];

export class BeckonApi implements ICredentialType {
	name = 'beckonApi';

	displayName = 'Beckon API';

	icon: Icon = { light: 'file:../icons/beckon.svg', dark: 'file:../icons/beckon.dark.svg' };

	documentationUrl = 'https://github.com/beckon-dev/beckon#credential';

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
			description: 'The key that beckon-server key create has shown',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{ $credentials.apiKey }}' } },
	};

	/**
	 * Asks to end a stream that nobody has. The right answer is a 404 in the service's form, which
	 * only a valid key gets; whatever else answers is told apart by its status or its body. Older
	 * versions of n8n ignore the list of statuses: there the rules for the body decide alone.
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
			url: `/live-activity/stream/${NO_STREAM}`,
			method: 'DELETE',
			ignoreHttpStatusErrors: { ignore: true, except: [401, ...FOREIGN_STATUSES] },
			disableFollowRedirect: true,
		},
		rules: [
			{ type: 'responseCode', properties: { value: 401, message: WRONG_KEY } },
			...FOREIGN_STATUSES.map((value) => ({
				type: 'responseCode' as const,
				properties: { value, message: WRONG_ADDRESS },
			})),
			bodyRule('error', 'Unauthorized', WRONG_KEY),
			bodyRule('code', 'rate_limited', 'Too many attempts. Try again in a minute.'),
			bodyRule('error', 'Not found', WRONG_ADDRESS),
			bodyRule('error', 'Not Found', WRONG_ADDRESS),
			bodyRule('error', undefined, WRONG_ADDRESS),
			bodyRule('message', undefined, WRONG_ADDRESS),
		] as ICredentialTestRequest['rules'],
	};
}

function bodyRule(key: string, value: unknown, message: string) {
	return { type: 'responseSuccessBody' as const, properties: { key, value, message } };
}
