import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findAccount } from '../../src/service/accounts/accounts.ts';
import { createSetupLink } from '../../src/service/people/join.ts';
import { type EventStream, followStream } from '../support/events.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waitFor, within } from '../support/wait.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';

const DAY_SECONDS = 24 * 60 * 60;

let server: TestServer;
let base: string;
let owner: Console;
let streams: EventStream[];

beforeEach(async () => {
	server = await startTestServer();
	base = await server.app.listen({ host: '127.0.0.1', port: 0 });
	owner = await signedIn(server);
	streams = [];
});
afterEach(async () => {
	await Promise.all(streams.map((stream) => stream.close()));
	await server.close();
});

/** Opens this person's event stream and waits for its first event. */
async function watching({ cookie }: Console): Promise<EventStream> {
	const stream = await followStream(`${base}/console/api/events`, { cookie });
	streams.push(stream);
	await heard(stream, 1);
	return stream;
}

const heard = (stream: EventStream, count: number) =>
	waitFor(`event ${count}`, () => stream.events.length >= count);

const change = (account: Console, name: string) => account.call('POST', '/users', { name });

describe('GET /console/api/events', () => {
	it('says that something changed, and nothing of what', async () => {
		const page = await watching(owner);
		await change(owner, 'Anna');
		await heard(page, 2);
		for (const { event, data, id } of page.events)
			expect([event, data, id]).toEqual(['changed', {}, undefined]);
	});

	it('tells what is sent and received from what people change', async () => {
		const page = await watching(owner);
		await server.call('POST', '/push-notification', { title: 'secret', message: 'words' });
		await heard(page, 2);
		await server.phone.call('POST', '/dismissals', { delivery_id: 1 });
		await heard(page, 3);
		for (const { event, data } of page.events.slice(1))
			expect([event, data]).toEqual(['changed', { only: 'traffic' }]);
	});

	it('is about anything if a person changed something among what was sent', async () => {
		const page = await watching(owner);
		await server.call('POST', '/push-notification', { title: 'before' });
		await heard(page, 2);
		await change(owner, 'Anna');
		await server.call('POST', '/push-notification', { title: 'after' });
		await heard(page, 3);
		expect(page.events[2]?.data).toEqual({});
	});

	it('tells every member of the account, whoever changed something', async () => {
		const member = await signedIn(server, { invitedBy: owner });
		const pages = [await watching(owner), await watching(member)];
		await change(member, 'Anna');
		for (const page of pages) await heard(page, 2);
	});

	it('tells nobody of another account', async () => {
		const other = await server.addAccount();
		const stranger = await signedIn(server, { account: other.id });
		const theirs = await watching(stranger);
		const ours = await watching(owner);
		await change(owner, 'Anna');
		await server.call('POST', '/push-notification', { title: 'x' });
		await heard(ours, 2);
		expect(theirs.events).toHaveLength(1);
		await change(stranger, 'Bela');
		await heard(theirs, 2);
		expect(theirs.events).toHaveLength(2);
	});

	it('gathers what happens at once into few events', async () => {
		const page = await watching(owner);
		for (let sent = 0; sent < 20; sent += 1)
			await server.call('POST', '/push-notification', { title: `${sent}` });
		await heard(page, 2);
		expect(page.events.length).toBeLessThan(20);
	});

	it('ends when the person signs out, and leaves the others alone', async () => {
		const member = await signedIn(server, { invitedBy: owner });
		const leaving = await watching(member);
		const staying = await watching(owner);
		await member.call('POST', '/logout');
		await within('the end of the stream', leaving.ended);
		expect(leaving.events).toHaveLength(1);
		const before = staying.events.length;
		await change(owner, 'Anna');
		await heard(staying, before + 1);
	});

	it('ends when the member is removed, and opens no more', async () => {
		const member = await signedIn(server, { invitedBy: owner });
		const page = await watching(member);
		await owner.call('DELETE', `/members/${member.memberId}`);
		await within('the end of the stream', page.ended);
		expect(page.events).toHaveLength(1);
		const { status } = await callConsole(server, 'GET', '/events', undefined, {
			cookie: member.cookie,
		});
		expect(status).toBe(401);
	});

	it('ends when the password is set anew by a setup link', async () => {
		const page = await watching(owner);
		const { body } = await owner.call('GET', '/session');
		const token = await createSetupLink(
			server.context,
			await findAccount(server.context, server.account.id),
		);
		const { status } = await callConsole(server, 'POST', '/join', {
			token,
			name: 'Olga',
			email: body['member'].email,
			password: `${PASSWORD}, again`,
		});
		expect(status).toBe(200);
		await within('the end of the stream', page.ended);
	});

	it.each([
		['unused for too long', 8],
		['too old', 31],
	])('ends with a session that is %s, at the next change', async (_why, days) => {
		const page = await watching(owner);
		server.clock.advance(days * DAY_SECONDS);
		await server.call('POST', '/push-notification', { title: 'x' });
		await within('the end of the stream', page.ended);
		expect(page.events).toHaveLength(1);
	});

	it('does not keep the server from closing', async () => {
		const page = await watching(owner);
		await within('the end of the server', server.app.close());
		await within('the end of the stream', page.ended);
	});
});
