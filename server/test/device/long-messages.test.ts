import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { historyEntry } from '../../src/service/history/entry.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** The longest message. A character of two UTF-16 units is where phones get no more. */
const LONG = `${'ä'.repeat(3_998)}🚀🚀${'x'.repeat(11_999)}!`;
const BEGINNING = `${'ä'.repeat(3_998)}🚀…`;

describe('a message of 16,000 characters', () => {
	let server: TestServer;
	beforeEach(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterEach(() => server.close());

	const send = async (path: string, more: object = {}) => {
		const sent = await server.call('POST', path, { title: 'Report', message: LONG, ...more });
		expect(sent.status).toBe(200);
		return String(sent.headers['beckon-history-id']);
	};
	const ask = () => send('/questions', { choices: [{ id: 'yes', title: 'Yes' }] });
	const wholeOf = (id: number, phone = server.phone) =>
		phone.call('GET', `/deliveries/${id}/message`);
	const cut = { message: BEGINNING, shortened: true };

	it('comes to phones as its beginning, with a mark, and they can ask for the rest', async () => {
		await send('/push-notification');
		const [shown] = (await server.phone.snapshot()).notifications;
		expect(shown.push).toMatchObject(cut);
		expect((await server.phone.inbox()).at(-1).push).toMatchObject(cut);
		const { body } = await server.phone.call('GET', '/history?search=report');
		expect(body['deliveries'][0].push).toMatchObject(cut);
		expect(await wholeOf(shown.id)).toMatchObject({ status: 200, body: { message: LONG } });
	});

	it('stays whole in the history, where its end is found', async () => {
		const id = await send('/push-notification');
		const { lifecycle } = await historyEntry(server.context, server.account.id, id);
		expect(lifecycle[0]?.content).toMatchObject({ message: LONG });
		const { body } = await server.phone.call('GET', `/history?search=${'x'.repeat(99)}!`);
		expect(body['deliveries']).toHaveLength(1);
	});

	it('asks a question, whose answer loses nothing of it', async () => {
		const question = await ask();
		const [{ id, push }] = (await server.phone.snapshot()).questions;
		expect(push).toMatchObject(cut);
		const answer = { tap_id: randomUUID(), choice: 'yes' };
		await server.phone.call('POST', `/questions/${question}/answer`, answer);
		const update = (await server.phone.inbox()).at(-1);
		expect(update).toMatchObject({ kind: 'push_update', delivery_id: id, push: cut });
		expect((await wholeOf(id)).body).toEqual({ message: LONG });
	});

	it('is not told to another phone', async () => {
		await send('/push-notification');
		const [{ id }] = (await server.phone.snapshot()).notifications;
		expect((await wholeOf(id, await server.pairPhone({ name: 'Later' }))).status).toBe(404);
	});

	it('is marked only if it is longer', async () => {
		const message = LONG.slice(0, BEGINNING.length + 1);
		await send('/push-notification', { message });
		const [{ id, push }] = (await server.phone.snapshot()).notifications;
		expect(push).toMatchObject({ message });
		expect(push).not.toHaveProperty('shortened');
		expect((await wholeOf(id)).body).toEqual({ message });
	});
});
