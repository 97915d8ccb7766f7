import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait.ts';
import { PLENTY, server, start, stop } from './support/several-servers.ts';

beforeEach(() =>
	start({ ...PLENTY, BECKON_RATE_QUESTIONS: '100000', BECKON_RATE_LISTS: '100000' }),
);
afterEach(stop);

const ASKED = { title: 'Deploy?', choices: [{ id: 'yes', title: 'Yes' }] };

/** A message of an agent, as the server that a load balancer chooses gets it. */
const send = (n: number, message: object, session = 'one') =>
	server(n).app.inject({
		method: 'POST',
		url: '/mcp',
		headers: {
			authorization: `Bearer ${server(0).account.key}`,
			accept: 'application/json, text/event-stream',
			'mcp-session-id': session,
		},
		payload: { jsonrpc: '2.0', ...message },
	});

const cancel = (n: number, session?: string) =>
	send(n, { method: 'notifications/cancelled', params: { requestId: 7 } }, session);

it('a call is cancelled by a message to another server, but not by that of another client', async () => {
	const call = send(0, {
		id: 7,
		method: 'tools/call',
		params: { name: 'ask', arguments: ASKED },
	});
	await waitFor('the wait', () => server(0).context.questionWaits.size === 1);
	await cancel(1, 'another');
	await cancel(1);
	await waitFor('its end', () => server(0).context.questionWaits.size === 0);
	await call;
	const { body } = await server(1).call('GET', '/questions');
	expect(body['questions']).toEqual([]);
});
