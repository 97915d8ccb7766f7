import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { pushExpiry } from '../../src/service/sending/stored-pushes.ts';
import { settleDue } from '../support/later.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import type { TestPhone } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { send } from '../senders/support/send.ts';
import { answerOn, ASKED, done, onPhone, startTeam, type Team } from './support/team.ts';

/** Attempts on a phone with what was taken back: pushes by their sender, and the phone by its owner. */

let team: Team;
let sender: string;
let receiver: Receiver;
/** Calls of the webhook that have no answer yet. */
const open: ServerResponse[] = [];
beforeAll(async () => {
	receiver = await startReceiver((_request, response) => open.push(response));
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
	sender = await team.server.addSenderKey(['ops']);
});
afterAll(async () => {
	await team.server.close();
	await receiver.close();
});

const shownOn = async (phone: TestPhone) =>
	(await phone.snapshot()).notifications.map(({ push }: any) => push.title);
const newest = async (phone: TestPhone) => (await phone.inbox()).at(-1).id as number;
const publish = (id: string, title: string) =>
	done(send(team.server, `/ntfy/ops/${id}`, { key: sender, body: title, headers: { title } }));
const takeBack = (id: string) =>
	send(team.server, `/ntfy/ops/${id}`, { key: sender, method: 'DELETE' });
const later = (seconds = 1) => team.server.clock.advance(seconds);
const UNTIL = { until: 'hour', time_zone: 'Europe/Berlin' };

/** How a phone puts a push aside; each can be undone. */
const ASIDE: Record<string, (id: number) => Promise<Record<string, any>>> = {
	'a dismissal': (delivery_id) => done(team.ada.call('POST', '/dismissals', { delivery_id })),
	'a snooze': (delivery_id) => done(team.ada.call('POST', '/snoozes', { delivery_id, ...UNTIL })),
	'a clearing': (up_to) => done(team.ada.call('POST', '/notifications/clear', { up_to })),
};

/** How the sender takes it back meanwhile. */
const GONE: Record<string, (id: string) => Promise<unknown>> = {
	'has cleared': takeBack,
	'has replaced': (id) => publish(id, 'Corrected'),
};

describe('a push comes back that its sender', () => {
	const CASES = Object.keys(GONE).flatMap((gone) =>
		Object.keys(ASIDE).map((aside) => [gone, aside]),
	);

	it.each(CASES)('%s, by the undoing of %s', async (gone, aside) => {
		const id = `deploy-${randomUUID()}`;
		await publish(id, 'Wrong');
		const { undo } = await ASIDE[aside]!(await newest(team.ada));
		later();
		await GONE[gone]!(id);
		later();
		await done(team.ada.call('POST', '/notifications/restore', { undo }));
		expect(await shownOn(team.ada)).not.toContain('Wrong');
	});

	it.each(Object.keys(GONE))('%s, by the end of a snooze', async (gone) => {
		const id = `deploy-${randomUUID()}`;
		await publish(id, 'Wrong');
		await ASIDE['a snooze']!(await newest(team.ada));
		later();
		await GONE[gone]!(id);
		later(60 * 60);
		await settleDue(team.server.context, snoozes);
		expect(await shownOn(team.ada)).not.toContain('Wrong');
	});

	it('has limited in time, by the end of a snooze', async () => {
		const push = { title: 'Stale', target: { channels: ['ops'] } };
		await team.server.call('POST', '/push-notification', push, { headers: { ttl: '600' } });
		await ASIDE['a snooze']!(await newest(team.ada));
		later(600);
		await settleDue(team.server.context, pushExpiry);
		later(60 * 60);
		const before = (await team.ada.inbox()).length;
		await settleDue(team.server.context, snoozes);
		// The phone has seen it: what returns is what it had, and nobody else gets it.
		expect((await team.bob.inbox()).filter(({ push: one }) => one?.title === 'Stale')).toEqual([]);
		expect((await team.ada.inbox()).length).toBeLessThanOrEqual(before + 1);
	});

	it('has withdrawn as a question, by the undoing of its snooze', async () => {
		const { body } = await team.server.call('POST', '/questions', { ...ASKED, ...toAda() });
		const { undo } = await ASIDE['a snooze']!(await newest(team.ada));
		later();
		await done(team.server.call('DELETE', `/questions/${body['question_id']}`));
		await done(team.ada.call('POST', '/notifications/restore', { undo }));
		expect((await answerOn(team.ada, body['question_id'])).body).toMatchObject({
			outcome: 'refused',
		});
	});
});

const toAda = () => ({ target: onPhone(team.ada) });

describe('a phone that was taken back', () => {
	const WAITING = [{ title: 'Approve', type: 'webhook', url: '' }];
	const pair = (name: string) => team.server.pairPhone({ user: 'Ada', name });
	const tap = (phone: TestPhone, delivery_id: number) =>
		phone.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action: 0 });
	const answerWebhook = (body = '{}') => open.shift()?.end(body);

	it.each([
		['of its channel', { channels: ['ops'] }],
		['of all phones', undefined],
	])('approves by a tap that waited for another’s, on a push %s', async (_to, target) => {
		const lost = await pair('Lost');
		const actions = WAITING.map((one) => ({ ...one, url: receiver.url }));
		const push = { title: 'Pay?', actions, ...(target && { target }) };
		await done(team.server.call('POST', '/push-notification', push));
		const before = receiver.received.length;
		const first = tap(team.ada, await newest(team.ada));
		await waitFor('the call', () => open.length === 1);
		const writes = jest.spyOn(team.server.context.database, 'write');
		const second = tap(lost, await newest(lost));
		// Its first look, in a write, finds the other under way.
		await waitFor('the other tap to wait', () => writes.mock.calls.length > 0);
		await Promise.all(writes.mock.results.map(({ value }) => value as Promise<unknown>));
		writes.mockRestore();
		await done(team.olga.call('DELETE', `/devices/${lost.id}`));
		answerWebhook();
		expect((await first).body).toMatchObject({ outcome: 'called' });
		const answering = setInterval(() => answerWebhook(), 10);
		const { status } = await second;
		clearInterval(answering);
		expect([status, receiver.received.length - before]).toEqual([401, 1]);
	});

	it('and paired anew for another person shows nothing of before', async () => {
		await done(team.server.call('POST', '/push-notification', { title: 'Hers', ...toAda() }));
		const given = await pair('Given');
		await done(
			team.server.call('POST', '/push-notification', { title: 'H', target: onPhone(given) }),
		);
		await done(given.call('PUT', '/tokens', { push_token: 'token-of-the-phone' }));
		await done(given.call('DELETE', '/'));
		const again = await team.server.pairPhone({ user: 'Bob', name: 'Given' });
		await done(again.call('PUT', '/tokens', { push_token: 'token-of-the-phone' }));
		const before = await again.inbox();
		await done(
			team.server.call('POST', '/push-notification', { title: 'I', target: { channels: ['ops'] } }),
		);
		expect([before, await again.inbox()]).toEqual([[], []]);
		for (const path of ['/history', '/snapshot', '/channels'])
			expect(JSON.stringify((await again.call('GET', path)).body)).not.toMatch(/"H"|Hers|"ops"/);
		await again.call('DELETE', '/');
	});

	it('is reached by its slug again, or answers what it had', async () => {
		const old = await pair('Old');
		const target = onPhone(old);
		const { body } = await team.server.call('POST', '/questions', { ...ASKED, target });
		await done(team.olga.call('DELETE', `/devices/${old.id}`));
		const pushed = await team.server.call('POST', '/push-notification', { title: 'A', target });
		expect([400, 404, 422]).toContain(pushed.status);
		const answered = await team.max.call('POST', `/questions/${body['question_id']}/answer`, {
			choice: 'yes',
		});
		expect(answered.body).toMatchObject({ outcome: 'refused' });
		const { body: state } = await team.server.call('GET', `/questions/${body['question_id']}`);
		expect(state).toMatchObject({ status: 'open' });
		await done(team.server.call('DELETE', `/questions/${body['question_id']}`));
	});

	it('goes on hearing by the stream that it has open', async () => {
		const heard = await pair('Heard');
		await team.server.app.listen({ host: '127.0.0.1', port: 0 });
		const { port } = team.server.app.server.address() as { port: number };
		const response = await fetch(`http://127.0.0.1:${port}/device/events`, {
			headers: { authorization: `Bearer ${heard.token}` },
		});
		const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
		await reader.read();
		await done(team.olga.call('DELETE', `/devices/${heard.id}`));
		await done(
			team.server.call('POST', '/push-notification', {
				title: 'After',
				target: { channels: ['ops'] },
			}),
		);
		let text = '';
		for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
		expect(text).not.toContain('After');
	});
});
