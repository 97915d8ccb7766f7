import type { NodeApiError } from 'n8n-workflow';

import { require } from '../engine/n8n.ts';
import { BECKON, runBeckon } from '../engine/one-node.ts';
import { testCredential } from '../engine/test-credential.ts';

/** n8n 2 can refuse requests to private networks, where many Beckon servers are. */

const beckonApi = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'bk_test' };

const { Container } = require('@n8n/di') as { Container: { reset: () => void } };

// n8n reads its settings when it first needs them, which other tests in this process may have made it do.
beforeAll(() => {
	process.env['N8N_SSRF_PROTECTION_ENABLED'] = 'true';
	Container.reset();
});
afterAll(() => {
	delete process.env['N8N_SSRF_PROTECTION_ENABLED'];
	Container.reset();
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
