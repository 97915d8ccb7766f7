import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ApnsConnection } from '../../src/delivery/apns/connection.ts';
import { HANGS_MS, waitFor } from '../support/wait.ts';
import type { Fault } from './support/apns.ts';
import { bench, iphone, push, withOneIphone } from './support/one-iphone.ts';
import { SilentLine } from './support/silent-line.ts';
import { deliveriesOf } from './support/phones.ts';

withOneIphone();

describe('what APNs answers', () => {
	const WORDS = {
		retry: 'pending',
		gone: 'failed',
		bad_token: 'failed',
		refused: 'failed',
	} as const;

	/** Every reason Apple documents ("Handling notification responses from APNs"), by status. */
	const REASONS: Record<string, { status: number; verdict: keyof typeof WORDS }> = {
		BadCollapseId: { status: 400, verdict: 'refused' },
		BadDeviceToken: { status: 400, verdict: 'bad_token' },
		BadExpirationDate: { status: 400, verdict: 'refused' },
		BadMessageId: { status: 400, verdict: 'refused' },
		BadPriority: { status: 400, verdict: 'refused' },
		BadTopic: { status: 400, verdict: 'retry' },
		DeviceTokenNotForTopic: { status: 400, verdict: 'bad_token' },
		DuplicateHeaders: { status: 400, verdict: 'refused' },
		IdleTimeout: { status: 400, verdict: 'retry' },
		InvalidPushType: { status: 400, verdict: 'refused' },
		MissingDeviceToken: { status: 400, verdict: 'refused' },
		MissingTopic: { status: 400, verdict: 'refused' },
		PayloadEmpty: { status: 400, verdict: 'refused' },
		TopicDisallowed: { status: 400, verdict: 'retry' },
		BadCertificate: { status: 403, verdict: 'retry' },
		BadCertificateEnvironment: { status: 403, verdict: 'retry' },
		BadEnvironmentKeyIdInToken: { status: 403, verdict: 'retry' },
		ExpiredProviderToken: { status: 403, verdict: 'retry' },
		Forbidden: { status: 403, verdict: 'retry' },
		InvalidProviderToken: { status: 403, verdict: 'retry' },
		MissingProviderToken: { status: 403, verdict: 'retry' },
		UnrelatedKeyIdInToken: { status: 403, verdict: 'retry' },
		BadPath: { status: 404, verdict: 'refused' },
		MethodNotAllowed: { status: 405, verdict: 'refused' },
		ExpiredToken: { status: 410, verdict: 'gone' },
		Unregistered: { status: 410, verdict: 'gone' },
		PayloadTooLarge: { status: 413, verdict: 'refused' },
		TooManyProviderTokenUpdates: { status: 429, verdict: 'retry' },
		TooManyRequests: { status: 429, verdict: 'retry' },
		InternalServerError: { status: 500, verdict: 'retry' },
		ServiceUnavailable: { status: 503, verdict: 'retry' },
		Shutdown: { status: 503, verdict: 'retry' },
	};

	it.each(Object.entries(REASONS))(
		'%s is handled as documented',
		async (reason, { status, verdict }) => {
			bench.apns.fault = () => ({ status, reason });
			const { body } = await push();
			const [delivery] = await deliveriesOf(bench, iphone);
			expect(delivery).toMatchObject({
				state: WORDS[verdict],
				last_error: `APNs answered ${status} ${reason}`,
			});
			expect(body['devices_notified']).toBe(verdict === 'retry' ? 1 : 0);
			expect((await iphone.call('GET', '/snapshot')).status).toBe(verdict === 'gone' ? 401 : 200);
		},
	);

	it('delays the next attempt as Retry-After says', async () => {
		bench.apns.failOnce({ status: 429, reason: 'TooManyRequests', retryAfter: 600 });
		await push();
		const [delivery] = await deliveriesOf(bench, iphone);
		expect(delivery?.next_attempt_at).toBe(bench.server.clock.now + 600_000);
	});

	it('does not disconnect a device that has registered a newer token meanwhile', async () => {
		bench.apns.fault = ({ token }) =>
			token === iphone.pushToken ? { status: 410, reason: 'Unregistered' } : undefined;
		const [registered] = await Promise.all([
			iphone.call('PUT', '/tokens', { push_token: 'ab12' }),
			push(),
		]);
		expect(registered.status).toBe(200);
		await deliveriesOf(bench, iphone);
		expect((await iphone.call('GET', '/snapshot')).status).toBe(200);
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		expect(bench.apns.takenFor('ab12')).toHaveLength(1);
	});

	it('does not disconnect a device that has registered the same token since', async () => {
		const at = bench.server.clock.now;
		bench.server.clock.advance(60);
		await iphone.call('PUT', '/tokens', { push_token: iphone.pushToken });
		bench.apns.failOnce({ status: 410, reason: 'Unregistered', timestamp: at });
		await push();
		const [delivery] = await deliveriesOf(bench, iphone);
		expect(delivery).toMatchObject({ state: 'pending', attempts: 1 });
		expect((await iphone.call('GET', '/snapshot')).status).toBe(200);
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		expect(bench.apns.takenFor(iphone.pushToken)).toHaveLength(1);

		const timestamp = bench.server.clock.now;
		bench.apns.failOnce({ status: 410, reason: 'Unregistered', timestamp });
		await push();
		await deliveriesOf(bench, iphone);
		expect((await iphone.call('GET', '/snapshot')).status).toBe(401);
	});

	it('is the reason in the history after the last attempt', async () => {
		bench.apns.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
		await push();
		for (let round = 0; round < 20; round += 1) {
			await deliveriesOf(bench, iphone);
			bench.server.clock.advance(3_700);
			await bench.server.context.outbox.runOnce();
		}
		const [delivery] = await deliveriesOf(bench, iphone);
		expect(delivery).toMatchObject({
			state: 'failed',
			last_error: 'APNs answered 503 ServiceUnavailable',
		});
	});
});

describe('the connection to APNs', () => {
	it('is given up for another when it leaves a ping unanswered', async () => {
		const line = await SilentLine.to(bench.apns.url);
		// A busy machine may take seconds for a ping, which is not what this is about.
		const pings = { everyMs: 20, limitMs: HANGS_MS };
		const connection = new ApnsConnection({
			origin: line.url,
			ca: [readFileSync(bench.settings['BECKON_APNS_CA_FILE'] ?? '', 'utf8')],
			pings,
		});
		const { status } = await connection.request([':method', 'POST', ':path', '/'], '', HANGS_MS);
		expect(status).toBe(403);
		await waitFor('pings that are answered', () => line.answers > 10);
		expect(connection.isUsable).toBe(true);
		line.isSilent = true;
		pings.limitMs = 100;
		await waitFor('the end of the connection', () => !connection.isUsable);
		line.close();
	});

	it.each<[string, Fault]>([
		['a stream that it refuses', 'reset stream'],
		['GOAWAY in mid-stream', 'goaway'],
	])('delivers at once in spite of %s', async (_name, fault) => {
		bench.apns.failOnce(fault);
		await push();
		await push();
		expect(bench.apns.takenFor(iphone.pushToken)).toHaveLength(2);
	});

	it.each<[string, Fault]>([
		['a cut', 'cut connection'],
		['an answer that is lost', 'reset after taking'],
	])('tries again later after %s, the repeat replacing the first', async (_name, fault) => {
		bench.apns.failOnce(fault);
		expect((await push()).body['devices_notified']).toBe(1);
		await deliveriesOf(bench, iphone);
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		const taken = bench.apns.takenFor(iphone.pushToken);
		expect(new Set(taken.map(({ headers }) => headers['apns-collapse-id'])).size).toBe(1);
		expect((await deliveriesOf(bench, iphone))[0]?.state).toBe('handed_over');
	});

	it('is opened anew after Apple was away', async () => {
		await push();
		await bench.apns.close();
		await push();
		await deliveriesOf(bench, iphone);
		await bench.apns.listen();
		bench.server.clock.advance(60);
		await bench.server.context.outbox.runOnce();
		expect(bench.apns.takenFor(iphone.pushToken)).toHaveLength(2);
	});

	it('shares one provider token, renewed within the hour and never sooner than needed', async () => {
		for (let minute = 0; minute < 120; minute += 10) {
			await push();
			bench.server.clock.advance(600);
		}
		expect(bench.apns.takenFor(iphone.pushToken)).toHaveLength(12);
		expect(bench.apns.providerTokens.size).toBe(3);
		expect(bench.apns.connections).toBe(1);
	});
});
