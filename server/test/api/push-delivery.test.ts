import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../src/delivery/gateway.ts';
import { outcomesRecorded, SteeredGateway } from '../support/gateways.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

describe('the counts of a push', () => {
	const gateway = new SteeredGateway();
	let server: TestServer;
	let second: TestPhone;
	beforeEach(async () => {
		gateway.answer = undefined;
		server = await startTestServer({
			settings: { ...UNLIMITED, BECKON_FIRST_ATTEMPT_MS: '40' },
			gateway: gateway.before,
		});
		second = await server.pairPhone();
	});
	afterEach(() => server.close());

	const push = () => server.call('POST', '/push-notification', { title: 'Hello' });
	const answerSecond = (outcome: Outcome) => {
		gateway.answer = ({ device }) => (device.id === second.id ? outcome : undefined);
	};

	it('include phones whose delivery is being retried', async () => {
		answerSecond({ kind: 'retry', reason: 'busy' });
		expect((await push()).body).toMatchObject({ devices_notified: 2, users_notified: 1 });
		gateway.answer = undefined;
		await outcomesRecorded(server);
		server.clock.advance(60);
		expect(await server.context.outbox.runOnce()).toBe(1);
		expect(await server.context.outbox.runOnce()).toBe(0);
	});

	it('include phones whose gateway has not answered in time', async () => {
		const late: Array<() => void> = [];
		gateway.answer = () =>
			new Promise<Outcome>((resolve) => late.push(() => resolve({ kind: 'handed_over' })));
		const { body } = await push();
		for (const finish of late) finish();
		expect(body).toMatchObject({ devices_notified: 2, users_notified: 1 });
	});

	it.each(['gone', 'refused'] as const)(
		'leave out a phone whose gateway answered %s',
		async (kind) => {
			answerSecond({ kind, reason: 'no' });
			expect((await push()).body).toMatchObject({
				success: true,
				devices_notified: 1,
				users_notified: 1,
			});
		},
	);

	it('leave out a phone that is gone, which is disconnected', async () => {
		answerSecond({ kind: 'gone', reason: 'unregistered' });
		await push();
		await outcomesRecorded(server);
		gateway.answer = undefined;
		expect((await push()).body['devices_notified']).toBe(1);
		expect((await second.call('GET', '/snapshot')).status).toBe(401);
	});

	it('include a user by any one of their phones', async () => {
		answerSecond({ kind: 'gone', reason: 'unregistered' });
		expect((await push()).body['users_notified']).toBe(1);
	});

	it('come once the push is stored: the phone finds it even if the gateway never answered', async () => {
		answerSecond({ kind: 'retry', reason: 'down' });
		await push();
		expect((await second.inbox()).map(({ kind }) => kind)).toEqual(['push']);
	});
});
