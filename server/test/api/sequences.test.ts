import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { repeats } from '../../src/service/sending/repeats.ts';
import { settleDue } from '../support/later.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';

describe('a push with X-Sequence-ID', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		await server.addChannel('ops', { users: ['owner'] });
		await server.addChannel('sales', { users: ['owner'] });
	});
	afterEach(() => server.close());

	const send = (
		title: string,
		{ id = 'deploy-7', channels, ...options }: Record<string, any> = {},
	) =>
		server.call(
			'POST',
			'/push-notification',
			{ title, ...(channels && { target: { channels } }) },
			{ ...options, headers: { 'x-sequence-id': id, ...options['headers'] } },
		);
	const shownOn = async (phone: TestPhone): Promise<string[]> =>
		(await phone.snapshot()).notifications.map(({ push }: any) => push.title);
	const shown = () => shownOn(server.phone);

	it('replaces the last one with the same id, on every phone', async () => {
		const tablet = await server.pairPhone({ name: 'Tablet' });
		for (const title of ['Building', 'Testing', 'Done'])
			expect((await send(title)).body).toMatchObject({ devices_notified: 2 });
		expect(await shown()).toEqual(['Done']);
		expect(await shownOn(tablet)).toEqual(['Done']);
		const pushes = (await server.phone.inbox()).map(({ push }) => push);
		expect(new Set(pushes.map(({ sequence_id }) => sequence_id)).size).toBe(1);
		expect(pushes[0].sequence_id).toMatch(/^[\w-]{32}$/);
	});

	it('replaces also one that is sent at the same time', async () => {
		await send('First');
		await Promise.all(['Second', 'Third', 'Fourth'].map((title) => send(title)));
		expect(await shown()).toHaveLength(1);
	});

	it('replaces neither another id, nor another target, nor a push without one', async () => {
		await send('By itself', { id: 'other' });
		await send('To ops', { channels: ['ops'] });
		await send('To both', { channels: ['sales', 'ops'] });
		await server.call('POST', '/push-notification', { title: 'Plain' });
		await send('To everybody');
		expect(await shown()).toHaveLength(5);
		await send('To both again', { channels: ['ops', 'sales'] });
		expect(await shown()).not.toContain('To both');
		expect(await shown()).toHaveLength(5);
	});

	it('replaces nothing of another account, nor outside the channels of its key', async () => {
		await send('To sales', { channels: ['sales'] });
		const limited = await server.addKey(server.account.id, ['ops']);
		expect((await send('No', { channels: ['sales'], key: limited })).status).toBe(403);
		await send('To ops', { key: limited });
		const other = await server.addAccount({ name: 'other' });
		await send('Elsewhere', { key: other.key });
		expect(await shown()).toEqual(['To ops', 'To sales']);
	});

	it('stays in the history', async () => {
		await send('First');
		await send('Second');
		const { body } = await server.phone.call('GET', '/history');
		expect(body['deliveries'].map(({ push }: any) => push.title)).toEqual(['Second', 'First']);
	});

	it('ends the repeats of the one before, and its snooze', async () => {
		await server.call(
			'POST',
			'/push-notification/repeated',
			{ push: { title: 'Water' }, repeat: { every_minutes: 1, times: 5 } },
			{ headers: { 'x-sequence-id': 'cellar' } },
		);
		await send('Dry again', { id: 'cellar' });
		await send('Later');
		const [{ id }] = (await server.phone.snapshot()).notifications;
		const snooze = { delivery_id: id, until: 'hour', time_zone: 'Europe/Berlin' };
		await server.phone.call('POST', '/snoozes', snooze);
		await send('Now');
		server.clock.advance(2 * 3_600);
		expect(await settleDue(server.context, repeats)).toBe(0);
		expect(await settleDue(server.context, snoozes)).toBe(0);
		expect(await shown()).toEqual(['Now', 'Dry again']);
	});

	it('is repeated safely with an Idempotency-Key, which belongs to its sequence', async () => {
		const headers = { 'idempotency-key': '"a"' };
		await send('Once', { headers });
		await send('Twice');
		expect((await send('Once', { headers })).headers['beckon-idempotency']).toBe('replayed');
		expect(await shown()).toEqual(['Twice']);
		expect((await send('Once', { headers, id: 'other' })).status).toBe(422);
	});

	it.each(['', 'with space', 'x'.repeat(65), 'ö'])('is refused with the id %j', async (id) => {
		const { status, body } = await send('No', { id });
		expect([status, body['message']]).toEqual([
			400,
			expect.stringMatching(/^X-Sequence-ID must be 1 to 64 letters/),
		]);
	});
});
