import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pushExpiry } from '../../src/service/sending/stored-pushes.ts';
import { quietSummaries } from '../../src/service/sending/quiet-summary.ts';
import { clearSequence } from '../../src/service/sending/sequences.ts';
import { settleDue } from '../support/later.ts';
import { leaveOutOfPacked } from '../support/left-out.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from './support/console.ts';

const TRIGGER = `trg_${'a'.repeat(43)}`;

describe('a push that is sent again', () => {
	let server: TestServer;
	let owner: Console;
	let bob: TestPhone;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
		owner = await signedIn(server);
		await owner.call('POST', '/users', { name: 'Bob' });
		bob = await server.pairPhone({ user: 'Bob' });
		await server.addChannel('ops', { devices: [server.phone.id, bob.id] });
	});
	afterEach(() => server.close());

	const newest = async () => (await owner.call('GET', '/history')).body['entries'][0].id as string;
	const offered = async (id: string) => (await owner.call('GET', `/history/${id}`)).body['again'];
	const sendAgain = (id: string) => owner.call('POST', `/history/${id}/send`);
	const push = async (body: object, options: object = {}): Promise<string> => {
		const sent = await server.call('POST', '/push-notification', { title: 'A', ...body }, options);
		expect(sent.status).toBe(200);
		return String(sent.headers['beckon-history-id']);
	};
	const received = async (phone: TestPhone) =>
		(await phone.inbox()).filter(({ kind }) => kind === 'push').map(({ push: { title } }) => title);

	it('reaches the phones that it had and still reaches, and no others', async () => {
		const id = await push({ target: { channels: ['ops'] } });
		const late = await server.pairPhone({ user: 'Bob', name: 'Late' });
		await owner.call('PUT', '/channels/ops', { devices: [server.phone.id, late.id] });
		expect(await offered(id)).toBe(1);
		expect((await sendAgain(id)).body).toMatchObject({ devices_notified: 1 });
		expect(await Promise.all([server.phone, bob, late].map(received))).toEqual([
			['A', 'A'],
			['A'],
			[],
		]);
	});

	it('to all phones reaches none that came later', async () => {
		const id = await push({});
		const late = await server.pairPhone({ user: 'Bob', name: 'Late' });
		await bob.call('DELETE', '/');
		expect(await offered(id)).toBe(1);
		expect((await sendAgain(id)).body).toMatchObject({ devices_notified: 1 });
		expect(await received(late)).toEqual([]);
	});

	it('to nobody any more is refused, also if its channels are gone', async () => {
		await server.addChannel('gone', { devices: [bob.id] });
		const id = await push({ target: { channels: ['gone'] } });
		await owner.call('DELETE', '/channels/gone');
		expect(await offered(id)).toBe(0);
		expect((await sendAgain(id)).status).toBe(422);
		expect(await received(bob)).toEqual(['A']);
	});

	it('expires as soon as it would have', async () => {
		leaveOutOfPacked('the service');
		const id = await push({ target: { channels: ['ops'] } }, { headers: { ttl: '600' } });
		server.clock.advance(599);
		expect((await sendAgain(id)).status).toBe(200);
		for (const shown of [['A', 'A'], ['A'], []]) {
			await settleDue(server.context, pushExpiry);
			expect(await received(bob)).toEqual(shown);
			server.clock.advance(shown.length === 2 ? 1 : 599);
		}
	});

	it('is not a message of the server itself', async () => {
		leaveOutOfPacked('the service');
		await owner.call('POST', `/devices/${server.phone.id}/test`);
		const test = await newest();
		const all = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
		const quiet = {
			hours: { from: '12:00', to: '13:00', days: all },
			time_zone: 'UTC',
			minimum_level: 'passive',
			questions: false,
		};
		expect((await bob.call('PUT', '/quiet', quiet)).status).toBe(200);
		server.clock.advance(60);
		await push({ target: { channels: ['ops'] } });
		server.clock.advance(60 * 60);
		expect(await settleDue(server.context, quietSummaries)).toBe(1);
		const summary = await newest();
		for (const id of [test, summary]) {
			expect(await offered(id)).toBeNull();
			expect((await sendAgain(id)).status).toBe(404);
		}
		expect((await received(bob)).at(-1)).toMatch(/held back/);
		expect(await received(server.phone)).toEqual(['It works', 'A']);
	});

	it('is not a question, a badge or a Live Activity', async () => {
		await server.call('POST', '/questions', { title: 'A?', choices: [{ id: 'a', title: 'A' }] });
		const question = await newest();
		await server.call('POST', '/badge', { badge: 1 });
		for (const id of [question, await newest(), 'his_unknown']) {
			expect((await sendAgain(id)).status).toBe(404);
		}
	});

	/** Whatever has become of a push since, it is sent as it was. */
	const SINCE: Record<string, (id: string) => Promise<unknown>> = {
		'was tapped': async () => {
			const { id } = (await bob.inbox()).at(-1);
			const tap = { tap_id: randomUUID(), delivery_id: id, action: 0 };
			expect((await bob.call('POST', '/taps', tap)).body).toMatchObject({ outcome: 'called' });
		},
		'was cleared by its sender': () => {
			const caller = { accountId: server.account.id, keyId: null, channels: null };
			return clearSequence(server.context, caller, ['ops'], 'deploy-7');
		},
		'was dismissed': async () => {
			const { id } = (await bob.inbox()).at(-1);
			return bob.call('POST', '/dismissals', { delivery_id: id });
		},
		'was replaced': () =>
			push({ target: { channels: ['ops'] } }, { headers: { 'x-sequence-id': 'deploy-7' } }),
	};

	it.each(Object.keys(SINCE))('and %s is as it was sent', async (since) => {
		leaveOutOfPacked('the service');
		const session = { name: 'Ship', session: 'session-of-n8n-1' };
		await server.call('PUT', `/triggers/${TRIGGER}`, session);
		const sent = {
			title: 'Order 7',
			subtitle: 'Shop',
			message: '3 books',
			badge: 3,
			actions: [
				{ title: 'Ship', type: 'webhook', url: `https://example.com/api/triggers/${TRIGGER}` },
				{ title: 'Open', type: 'open_url', url: 'https://example.com/7' },
			],
			tags: ['orders'],
			metadata: { order: 7 },
			target: { channels: ['ops'] },
		};
		const id = await push(sent, { headers: { 'x-sequence-id': 'deploy-7' } });
		const { push: first } = (await server.phone.inbox()).at(-1);
		await SINCE[since]!(id);
		expect((await sendAgain(id)).body).toMatchObject({ devices_notified: 2, tags: ['orders'] });
		const again = (await bob.inbox()).at(-1);
		const { sequence_id: _replaces, ...alike } = first;
		expect(again).toMatchObject({ kind: 'push', push: alike });
		expect(Object.keys(again.push).sort()).toEqual(Object.keys(alike).sort());
		const { body } = await owner.call('GET', `/history/${await newest()}`);
		expect(body).toMatchObject({ metadata: { order: 7 }, channels: ['ops'] });
		const tap = { tap_id: randomUUID(), delivery_id: again.id, action: 0 };
		expect((await bob.call('POST', '/taps', tap)).body).toMatchObject({ outcome: 'called' });
	});
});
