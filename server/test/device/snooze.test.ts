import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { endSnoozes } from '../../src/service/phones/snoozes.ts';
import { settleDueQuestions } from '../../src/service/questions/due.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

/** 13:00 in Berlin. */
const NOON = Date.parse('2026-03-01T12:00:00Z');

describe('a snoozed push', () => {
	let server: TestServer;
	let phone: TestPhone;
	/** Another phone of the same person. */
	let tablet: TestPhone;

	beforeEach(async () => {
		server = await startTestServer();
		({ phone } = server);
		tablet = await server.pairPhone({ name: 'Tablet' });
		server.clock.now = NOON;
	});
	afterEach(() => server.close());

	const send = async (more: object = {}) => {
		await server.call('POST', '/push-notification', { title: 'Order', ...more });
		return (await phone.snapshot()).notifications[0].id as number;
	};
	const snooze = (delivery_id: number, until = 'hour', by = phone) =>
		by.call('POST', '/snoozes', { delivery_id, until, time_zone: 'Europe/Berlin' });
	const count = async (on: TestPhone) => (await on.snapshot()).notification_count as number;
	const pass = async (hours: number) => {
		server.clock.advance(hours * 3_600);
		return endSnoozes(server.context);
	};

	it.each([
		['hour', '2026-03-01T13:00:00.000Z'],
		['tonight', '2026-03-01T19:00:00.000Z'],
		['morning', '2026-03-02T06:00:00.000Z'],
	])('leaves all phones of the person until %s, and returns to them', async (until, at) => {
		const { status, body } = await snooze(await send(), until);
		expect({ status, until: body['until'] }).toEqual({ status: 200, until: at });
		expect([await count(phone), await count(tablet)]).toEqual([0, 0]);
		server.clock.now = Date.parse(at) - 1;
		expect(await endSnoozes(server.context)).toBe(0);
		server.clock.now += 1;
		expect(await endSnoozes(server.context)).toBe(2);
		expect([await count(phone), await count(tablet)]).toEqual([1, 1]);
		expect(await endSnoozes(server.context)).toBe(0);
	});

	it('means the next evening and morning', async () => {
		server.clock.now = Date.parse('2026-03-01T23:30:00Z');
		const id = await send();
		expect((await snooze(id, 'tonight')).body['until']).toBe('2026-03-02T19:00:00.000Z');
		expect((await snooze(id, 'morning')).body['until']).toBe('2026-03-02T06:00:00.000Z');
	});

	it('that asks a question does not return once that has ended', async () => {
		const asked = async () => {
			const { body } = await server.call('POST', '/questions', {
				title: 'Deploy?',
				choices: [{ id: 'yes', title: 'Yes' }],
			});
			await snooze((await phone.snapshot()).questions[0].id as number);
			return String(body['question_id']);
		};
		await asked();
		expect(await pass(1)).toBe(2);
		const id = await asked();
		await server.call('DELETE', `/questions/${id}`);
		expect(await pass(1)).toBe(0);
	});

	it('that asks a question returns to those whom it reached by its escalation', async () => {
		await server.addChannel('ops', { devices: [tablet.id] });
		await server.addChannel('boss', { devices: [phone.id] });
		await server.call('POST', '/questions', {
			title: 'Deploy?',
			choices: [{ id: 'yes', title: 'Yes' }],
			target: { channels: ['ops'] },
			escalate: { after_minutes: 1, target: { channels: ['boss'] } },
		});
		server.clock.advance(61);
		await settleDueQuestions(server.context);
		await snooze((await phone.snapshot()).questions[0].id as number);
		expect((await phone.snapshot()).questions).toEqual([]);
		await pass(1);
		expect((await phone.snapshot()).questions).toHaveLength(1);
	});

	it('returns once, at the time chosen last', async () => {
		const id = await send();
		await snooze(id, 'hour');
		await snooze(id, 'tonight');
		expect(await pass(2)).toBe(0);
		expect(await pass(10)).toBe(2);
		expect(await count(phone)).toBe(1);
	});

	it('comes back at once when that is undone, and not again', async () => {
		const { body } = await snooze(await send());
		await phone.call('POST', '/notifications/restore', { undo: body['undo'] });
		expect([await count(phone), await count(tablet)]).toEqual([1, 1]);
		expect(await pass(2)).toBe(0);
	});

	it('stays away from phones of others, and from a channel’s phones that have left it', async () => {
		await server.addChannel('ops', { devices: [phone.id, tablet.id] });
		await snooze(await send({ target: { channels: ['ops'] } }));
		await tablet.call('DELETE', '');
		expect(await pass(2)).toBe(1);
		expect(await count(phone)).toBe(1);
	});

	it('ends its repeats', async () => {
		const { body } = await server.call('POST', '/push-notification/repeated', {
			push: { title: 'Water' },
			repeat: { every_minutes: 1, times: 5 },
		});
		await snooze((await phone.snapshot()).notifications[0].id);
		expect(
			(await server.call('DELETE', `/push-notification/repeated/${body['repeat_id']}`)).body,
		).toMatchObject({ outcome: 'reacted' });
	});

	it.each([
		['what this phone does not have', 404, { delivery_id: 9_999 }],
		['an unknown time', 400, { until: 'never' }],
		['no time zone', 400, { time_zone: undefined }],
	])('is refused for %s', async (_name, expected, wrong) => {
		const body = {
			delivery_id: await send(),
			until: 'hour',
			time_zone: 'Europe/Berlin',
			...wrong,
		};
		expect((await phone.call('POST', '/snoozes', body)).status).toBe(expected);
		expect(await count(phone)).toBe(1);
	});

	it('is no Live Activity', async () => {
		await server.call('PUT', '/live-activity/stream/s', {
			content_state: { type: 'value', title: 'Euro', value: 1 },
		});
		const [{ id }] = (await phone.inbox()).slice(-1);
		expect((await snooze(id)).status).toBe(404);
	});
});
