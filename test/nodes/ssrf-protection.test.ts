import type { NodeApiError } from 'n8n-workflow';

import { BECKON, runBeckon } from '../engine/one-node.ts';
import { testCredential } from '../engine/test-credential.ts';

/** n8n 2 can refuse requests to private networks, where many Beckon servers are. */

const beckonApi = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'bk_test' };

beforeAll(() => {
	// n8n reads its settings on the first request.
	process.env['N8N_SSRF_PROTECTION_ENABLED'] = 'true';
});

test('with the protection on, the node and the credential name the settings', async () => {
	const run = await runBeckon(
		{ operation: 'send', title: 'Hello' },
		{ credentials: { beckonApi } },
	);
	const { message, description, failure } = run.error as NodeApiError;

	expect(message).toBe(
		"Could not reach the Beckon server at http://127.0.0.1:9/api: n8n's SSRF protection does not permit this address",
	);
	expect(description).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
	expect(failure).toEqual({ cause: 'configuration-invalid' });
	expect(await testCredential(BECKON, 'beckonApi', beckonApi)).toEqual({
		status: 'Error',
		message: `${message}. ${description}`,
	});
});
