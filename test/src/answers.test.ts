import type { NodeApiError } from 'n8n-workflow';
import nock from 'nock';

import { runBeckon } from '../engine/one-node.ts';

/** Answers that the project's own server never gives, or not on demand. */
const HOST = 'http://beckon.test';

beforeAll(() => {
	nock.disableNetConnect();
});

afterEach(() => {
	nock.cleanAll();
});

afterAll(() => {
	nock.enableNetConnect();
	nock.restore();
});

/** Attempts to set a badge, which may be repeated, after failures that may pass. */
const ATTEMPTS = 4;

const respond = () => nock(HOST).post('/api/badge');

async function setBadge(baseUrl = `${HOST}/api`) {
	const run = await runBeckon(
		{ resource: 'badge', operation: 'set', badge: 1 },
		{ credentials: { beckonApi: { baseUrl, apiKey: 'bk_secret' } } },
	);
	expect(JSON.stringify(run.run)).not.toContain('bk_secret');
	const error = run.error as NodeApiError | undefined;
	const { message, description, httpCode } = error ?? {};
	expect(`${message} ${description}`).not.toContain('[object');
	return { status: run.status, message, description, httpCode };
}

test('billing that is blocked leads to where it is unblocked', async () => {
	respond().reply(402, {
		error: 'trial_expired',
		message: 'Your trial has ended.',
		trial_period: { started_at: '2026-01-01T00:00:00Z', ends_at: '2026-01-15T00:00:00Z' },
		upgrade_url: 'https://example.com/upgrade',
	});

	expect(await setBadge()).toEqual({
		status: 'error',
		message: 'Your trial has ended.',
		description: 'Continue at https://example.com/upgrade (HTTP 402: trial_expired)',
		httpCode: '402',
	});
});

test('nobody to send to is reported alike with 404 and with 422', async () => {
	const body = { error: 'No recipients', message: 'Nobody.', effective_channel_slugs: null };
	respond().reply(404, body);
	const { description: of404 } = await setBadge();
	respond().reply(422, body);
	const { description: of422 } = await setBadge();

	expect(of404).toContain('Pair a phone');
	expect(of422).toBe(of404?.replace('404', '422'));
});

test.each([
	[422, 'badge_device_disconnected', 'It failed. Pair it again.'],
	[502, 'badge_update_failed', 'It failed. Send it again.'],
])('a badge that fails with %i has the advice of the service', async (status, code, message) => {
	respond().times(ATTEMPTS).reply(status, {
		error: 'Badge update failed',
		code,
		message,
		badge: 1,
		devices_updated: 0,
		effective_channel_slugs: null,
	});

	expect(await setBadge()).toMatchObject({
		message,
		description: `(HTTP ${status}: Badge update failed)`,
		httpCode: String(status),
	});
});

test('a request that is too large says what to shorten', async () => {
	respond().reply(413, { error: 'Payload too large', message: 'The body is too large.' });

	expect((await setBadge()).description).toContain('Shorten the message');
});

test('broken rules that the message does not name are told in its place', async () => {
	respond().reply(400, {
		error: 'Invalid request',
		message: 'The request is invalid.',
		issues: [{ path: 'badge', message: 'must be less' }, 'nonsense', { path: 'target' }],
	});

	expect(await setBadge()).toMatchObject({
		message: 'Badge (badge) must be less.',
		description: '(HTTP 400: Invalid request)',
	});
});

test.each<[string, number, string, Record<string, string>]>([
	['a page', 200, '<html><body>Welcome</body></html>', { 'content-type': 'text/html' }],
	['an error page', 403, '<html><body>Forbidden</body></html>', { 'content-type': 'text/html' }],
	['nothing', 204, '', {}],
	['other JSON', 200, '{"ok":true}', { 'content-type': 'application/json' }],
	['an error of another form', 500, '{"error":{"code":7}}', { 'content-type': 'application/json' }],
])('%s instead of an answer points to the Base URL', async (_what, status, body, headers) => {
	respond().reply(status, body, headers);

	expect(await setBadge()).toEqual({
		status: 'error',
		message: `This does not look like a Beckon server: HTTP ${status}, and not in Beckon’s format`,
		description: expect.stringContaining('Check the Base URL'),
		httpCode: String(status),
	});
});

test.each([502, 503, 504])(
	'HTTP %i from a proxy says that the request may have arrived, as a lost connection does',
	async (status) => {
		respond().times(ATTEMPTS).reply(status, '<html><body>Bad Gateway</body></html>');

		expect(await setBadge()).toEqual({
			status: 'error',
			message: `The Beckon server did not answer: HTTP ${status} from a proxy in front of it`,
			description: 'The request may have arrived anyway: check the phone before you send it again.',
			httpCode: String(status),
		});
	},
);

test('a redirect is not followed with the key, but reported', async () => {
	respond().reply(301, '', { location: 'https://beckon.test/api/badge' });

	expect((await setBadge()).description).toContain('It redirects to https://beckon.test/api/badge');
});

test.each([
	['ECONNREFUSED', 'nothing is listening at this address'],
	['ENOTFOUND', 'its host name is unknown'],
	['ECONNRESET', 'the connection was closed before the answer'],
	['EPIPE', 'the connection was closed before the answer'],
	['ETIMEDOUT', 'it did not answer in time'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not trusted'],
	['EWEIRD', 'EWEIRD'],
])('%s is explained', async (code, reason) => {
	respond()
		.times(ATTEMPTS)
		.replyWithError(Object.assign(new Error(`connect ${code}`), { code }));

	expect(await setBadge()).toMatchObject({
		message: `Could not reach the Beckon server at ${HOST}/api: ${reason}`,
		httpCode: code,
	});
});

test('a Base URL that is no URL is explained, and what it may hold of a password is not shown', async () => {
	expect((await setBadge('beckon.test/api')).message).toContain('this is not a URL');
	respond()
		.times(ATTEMPTS)
		.replyWithError(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
	expect((await setBadge('http://user:hidden@beckon.test/api')).message).toContain(
		'http://beckon.test/api',
	);
});

test('a refusal of a proxy without any header is tried again', async () => {
	respond().reply(429, 'slow down').post('/api/badge').reply(200, { success: true, badge: 1 });

	expect(await setBadge()).toMatchObject({ status: 'success' });
});
