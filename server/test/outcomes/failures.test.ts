import { beforeEach, describe, expect, it } from '@jest/globals';
import { createContext } from '../../src/assembly.ts';
import { readConfig } from '../../src/config.ts';
import { toFailures } from '../../src/store/outbox/outcomes.ts';
import { createLogger } from '../../src/log.ts';
import { bench, iphone, push, withOneIphone } from '../gateways/support/one-iphone.ts';
import { deliveriesOf } from '../gateways/support/phones.ts';
import { type Console, signedIn } from '../console/support/console.ts';

withOneIphone();

/** What the history keeps of attempts, and the phone of its last failure. */
describe('a delivery that fails and then arrives', () => {
	let owner: Console;
	beforeEach(async () => {
		owner = await signedIn(bench.server);
	});

	const lastFailure = async () =>
		(await owner.call('GET', `/devices?id=${iphone.id}`)).body['devices'][0].last_failure;

	it('keeps each failed attempt, and the phone the last one until it is reached', async () => {
		expect(await lastFailure()).toBeNull();
		const times = [];
		for (const reason of ['ServiceUnavailable', 'InternalServerError']) {
			bench.apns.failOnce({ status: 503, reason });
			times.push(bench.server.timestamp());
			if (times.length === 1) await push();
			else await bench.server.context.outbox.runOnce();
			await deliveriesOf(bench, iphone);
			bench.server.clock.advance(60);
		}
		const [delivery] = await deliveriesOf(bench, iphone);
		expect(toFailures(delivery!.failures)).toEqual([
			{ at: times[0], reason: 'APNs answered 503 ServiceUnavailable' },
			{ at: times[1], reason: 'APNs answered 503 InternalServerError' },
		]);
		expect(await lastFailure()).toMatchObject({
			at: times[0],
			reason: 'APNs answered 503 ServiceUnavailable',
			advice: null,
		});
		await bench.server.context.outbox.runOnce();
		await deliveriesOf(bench, iphone);
		expect(await lastFailure()).toBeNull();
		const { body } = await owner.call('GET', '/history');
		expect(body['entries'][0]).toMatchObject({ phones: { handed_over: 1 }, reason: null });
	});
});

it('the answers of push services are in the log at its level debug, without tokens', async () => {
	const lines: string[] = [];
	const { context, settings } = bench.server;
	const logger = createLogger(
		{ BECKON_LOG_LEVEL: 'debug' },
		{ write: (line) => void lines.push(line) },
	);
	const config = readConfig({ ...settings, BECKON_DATA: bench.server.store.directory });
	const { database, now } = context;
	const logged = createContext({
		config,
		database,
		now,
		logger,
		onError: (error) => {
			throw error;
		},
	});
	bench.apns.failOnce({ status: 503, reason: 'ServiceUnavailable' });
	await push({ title: 'Private words' });
	const [delivery] = await deliveriesOf(bench, iphone);
	bench.server.clock.advance(60);
	await logged.outbox.runOnce();
	expect(lines.map((line) => JSON.parse(line))).toMatchObject([
		{ gateway: 'apns', kind: 'handed_over', delivery: delivery!.id, phone: iphone.id },
	]);
	expect(lines.join('')).not.toMatch(new RegExp(`Private words|${iphone.pushToken}`));
	await logged.outbox.stop();
});
