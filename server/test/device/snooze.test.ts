import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { settleDue } from '../support/later.ts';
import { followEvents } from '../support/events.ts';
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
		return settleDue(server.context, snoozes);
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
		expect(await settleDue(server.context, snoozes)).toBe(0);
		server.clock.now += 1;
		expect(await settleDue(server.context, snoozes)).toBe(2);
		expect([await count(phone), await count(tablet)]).toEqual([1, 1]);
		expect(await settleDue(server.context, snoozes)).toBe(0);
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
		await settleDue(server.context, questionTimes);
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

	describe('that asks a question', () => {
		const asked = async (on: TestPhone) => {
			const { questions } = await on.snapshot();
			return questions.map(({ id }: { id: number }) => id) as number[];
		};
		const shownOn = async () => [(await asked(phone)).length, (await asked(tablet)).length];
		beforeEach(async () => {
			await server.call('POST', '/questions', {
				title: 'Deploy?',
				choices: [{ id: 'yes', title: 'Yes' }],
			});
			expect(await shownOn()).toEqual([1, 1]);
		});

		it('leaves all phones of the person, and returns to each of them once', async () => {
			const before = [...(await asked(phone)), ...(await asked(tablet))];
			expect((await snooze(before[0]!)).status).toBe(200);
			expect(await shownOn()).toEqual([0, 0]);
			expect(await pass(1)).toBe(2);
			expect(await shownOn()).toEqual([1, 1]);
			const after = [...(await asked(phone)), ...(await asked(tablet))];
			expect(after.filter((id) => before.includes(id))).toEqual([]);
		});

		it('comes back to all of them when that is undone', async () => {
			const { body } = await snooze((await asked(phone))[0]!);
			const restored = await phone.call('POST', '/notifications/restore', { undo: body['undo'] });
			expect(restored.body).toEqual({ restored: 1 });
			expect(await shownOn()).toEqual([1, 1]);
			expect(await pass(2)).toBe(0);
		});

		it('is shown once if that is undone after it has returned', async () => {
			const { body } = await snooze((await asked(phone))[0]!);
			await pass(1);
			const restored = await phone.call('POST', '/notifications/restore', { undo: body['undo'] });
			expect(restored.body).toEqual({ restored: 0 });
			expect(await shownOn()).toEqual([1, 1]);
		});

		it('replaces one that a phone still shows', async () => {
			await snooze((await asked(phone))[0]!);
			// As on a phone whose dismissal was undone.
			await server.context.database.write(null, (db) =>
				db.updateTable('deliveries').set({ dismissed_at: null }).execute(),
			);
			await pass(1);
			expect(await shownOn()).toEqual([1, 1]);
		});

		it('tells open pages that it has left, and that it is back', async () => {
			const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
			const page = await followEvents(base, tablet.token, {
				after: (await tablet.snapshot()).cursor,
			});
			const shows = (count: number) =>
				page.waitForEvent(
					`${count} questions`,
					({ event, data }) => event === 'notifications' && data.question_ids.length === count,
				);
			await snooze((await asked(phone))[0]!);
			await shows(0);
			await pass(1);
			await shows(1);
			await page.close();
		});
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
