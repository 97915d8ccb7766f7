import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { questionTimes } from '../../src/service/questions/due.ts';
import { toPhoneSlug } from '../../src/service/sending/audience.ts';
import { settleDue } from '../support/later.ts';
import { STATES, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestPhone, type TestServer } from '../support/server.ts';
import { type Console, signedIn } from '../console/support/console.ts';

/** Attempts in the console, by members and with the names of people, to answer and to reach more than one may. */

const ASKED = { title: 'Deploy?', choices: [{ id: 'yes', title: 'Approve' }] };

let server: TestServer;
let owner: Console;
let count = 0;

beforeAll(async () => {
	server = await startTestServer({ settings: UNLIMITED });
	owner = await signedIn(server);
});
afterAll(() => server.close());

/** Another for each attempt: what one leaves must not let the next fail. */
const unique = (name: string) => `${name} ${(count += 1)}`;
const slug = () => `ops-${(count += 1)}`;

/** Joining and pairing are limited. */
const letAttemptsPass = () => server.clock.advance(15 * 60);

async function addMember(name = unique('Max')): Promise<Console & { name: string }> {
	letAttemptsPass();
	return { ...(await signedIn(server, { invitedBy: owner, name })), name };
}

async function addPerson(name = unique('Sam')): Promise<{ name: string; id: string }> {
	expect((await owner.call('POST', '/users', { name })).status).toBe(200);
	return { name, id: await idOf(name) };
}

const idOf = async (name: string): Promise<string> => {
	const names = (await owner.call('GET', '/user-names')).body as unknown as any[];
	return names.find((one) => one.name === name).id;
};

async function pair(user: string): Promise<TestPhone> {
	letAttemptsPass();
	return server.pairPhone({ user, name: unique('Phone') });
}

const merge = (id: string, into: string, by: Console = owner) =>
	by.call('POST', `/users/${id}/merge`, { into });
const setChannel = (of: string, members: object) => owner.call('PUT', `/channels/${of}`, members);

async function addChannel(users: string[], devices: string[] = []): Promise<string> {
	const added = slug();
	await server.addChannel(added, { users, devices });
	return added;
}

async function ask(more: object = {}): Promise<string> {
	const { status, body } = await server.call('POST', '/questions', { ...ASKED, ...more });
	expect(status).toBe(200);
	return String(body['question_id']);
}

const read = async (id: string) => (await server.call('GET', `/questions/${id}`)).body;
const answer = (by: Console, id: string, given: object = { choice: 'yes' }) =>
	by.call('POST', `/questions/${id}/answer`, given);
const answerOn = (phone: TestPhone, id: string) =>
	phone.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), choice: 'yes' });

async function push(body: object): Promise<string> {
	const sent = await server.call('POST', '/push-notification', { title: 'Secret', ...body });
	expect(sent.status).toBe(200);
	return String(sent.headers['beckon-history-id']);
}
const sendAgain = (id: string, by: Console = owner) => by.call('POST', `/history/${id}/send`);
const received = async (phone: TestPhone) =>
	(await phone.inbox()).filter(({ kind }) => kind === 'push').length;

describe('somebody answers who may not', () => {
	it('with the name of a person who was removed, and a phone in their channel', async () => {
		const ada = await addPerson('Ada');
		const phone = await pair('Ada');
		const ops = await addChannel(['Ada']);
		const id = await ask({ target: { channels: [ops] }, answerable_by: ['Ada'] });
		expect((await owner.call('DELETE', `/users/${ada.id}`)).status).toBe(200);
		const again = await addMember();
		const renamed = await owner.call('PUT', `/users/${await idOf(again.name)}`, { name: 'Ada' });
		expect(renamed.status).toBe(200);
		const own = await pair('Ada');
		await setChannel(ops, { users: ['Ada'], devices: [own.id] });
		expect((await answer(again, id)).body).toMatchObject({ outcome: 'refused' });
		expect((await answerOn(own, id)).status).toBe(404);
		expect((await answerOn(phone, id)).status).toBe(401);
		expect(await read(id)).toMatchObject({ status: 'open', answerable_by: [] });
	});

	it('with the name that a person had when they were named', async () => {
		const [boss, eve] = [await addMember('Boss'), await addMember('Eve')];
		await pair('Boss');
		const id = await ask({ answerable_by: ['Boss'] });
		expect((await boss.call('PUT', '/profile', { name: 'Chief' })).status).toBe(200);
		expect((await eve.call('PUT', '/profile', { name: 'Boss' })).status).toBe(200);
		expect((await answer(eve, id)).body).toMatchObject({
			outcome: 'refused',
			message: 'Only Chief may answer this question.',
		});
		expect(await read(id)).toMatchObject({ answerable_by: ['Chief'] });
	});

	it('because somebody who was there before is merged with them', async () => {
		const old = await addPerson();
		const id = await ask();
		server.clock.advance(1);
		const late = await addMember();
		expect((await merge(old.id, await idOf(late.name))).status).toBe(200);
		expect((await answer(late, id)).body).toMatchObject({ outcome: 'refused' });
		expect(await read(id)).toMatchObject({ status: 'open' });
	});

	it('because they join the channel after it has escalated there', async () => {
		const [eve, boss] = [await addMember(), await addMember()];
		const [ops, upper] = [await addChannel(['Olga']), await addChannel([boss.name])];
		await pair(boss.name);
		const phone = await pair(eve.name);
		const id = await ask({
			target: { channels: [ops] },
			escalate: { after_minutes: 10, target: { channels: [upper] } },
		});
		server.clock.advance(10 * 60);
		await settleDue(server.context, questionTimes);
		await setChannel(upper, { users: [boss.name, eve.name] });
		expect((await answer(eve, id)).body).toMatchObject({ outcome: 'refused' });
		expect((await answerOn(phone, id)).status).toBe(404);
		expect((await answer(boss, id)).body).toMatchObject({ outcome: 'answered' });
	});

	it('of another account, by its ids', async () => {
		const other = await server.addAccount();
		letAttemptsPass();
		const stranger = await signedIn(server, { account: other.id, name: 'Stranger' });
		const id = await ask();
		const history = await push({});
		const sam = await addPerson();
		const attempts = [
			await answer(stranger, id),
			await stranger.call('DELETE', `/questions/${id}`),
			await stranger.call('POST', `/questions/${id}/callback`),
			await stranger.call('GET', `/history/${id}`),
			await sendAgain(history, stranger),
			await merge(sam.id, await idOf('Olga'), stranger),
			await stranger.call('PUT', `/devices/${server.phone.id}`, { name: 'Mine' }),
			await stranger.call('POST', `/devices/${server.phone.id}/test`),
		];
		expect(attempts.map(({ status }) => status)).toEqual(attempts.map(() => 404));
		expect(await read(id)).toMatchObject({ status: 'open' });
	});

	it.each([
		['answer', { request: 'answer', key: 'ID', body: { choice: 'yes' } }],
		['form', { request: 'question_answer', key: 'ID', body: { fields: {} } }],
		['withdrawal', { request: 'withdraw', key: 'ID', body: {} }],
		['path of a stream', { request: 'stream_end', key: '../../questions/ID', body: {} }],
		['path of a repeat', { request: 'repeated_stop', key: 'ID', body: null }],
	])('by the Playground: as %s', async (_how, sent) => {
		const eve = await addMember();
		const ops = await addChannel(['Olga']);
		const id = await ask({ target: { channels: [ops] } });
		const body = JSON.parse(JSON.stringify(sent).replace('ID', id));
		expect((await eve.call('POST', '/playground/send', body)).status).toBeGreaterThanOrEqual(400);
		expect(await read(id)).toMatchObject({ status: 'open' });
	});

	it('two at once: one has answered, and the other learns who', async () => {
		const [one, other] = [await addMember(), await addMember()];
		const id = await ask();
		const both = await Promise.all([answer(one, id), answer(other, id)]);
		const outcomes = both.map(({ body }) => body['outcome']);
		expect(outcomes.toSorted()).toEqual(['answered', 'refused']);
		const winner = outcomes[0] === 'answered' ? one : other;
		expect(await read(id)).toMatchObject({ answer: { by: { user: winner.name } } });
		const refused = both.find(({ body }) => body['outcome'] === 'refused');
		expect(refused?.body['message']).toContain(winner.name);
	});

	it('with more than an answer', async () => {
		const id = await ask({ text: {} });
		const attempts = [
			{ choice: 'yes', text: 'yes' },
			{ choice: 'yes', by: { user: 'Ada', device: null } },
			{ choice: 'yes', user: 'Ada' },
			{ fields: { choice: 'yes' } },
		];
		for (const given of attempts) expect((await answer(owner, id, given)).status).toBe(400);
		expect(await read(id)).toMatchObject({ status: 'open' });
	});
});

describe('another person’s name is under an answer', () => {
	it('of somebody who was merged since: it keeps the name that they had', async () => {
		const [sam, bob] = [await addPerson(), await addPerson()];
		const phone = await pair(sam.name);
		const id = await ask();
		expect((await answerOn(phone, id)).body).toMatchObject({ outcome: 'answered' });
		await merge(sam.id, bob.id);
		expect(await read(id)).toMatchObject({ answer: { by: { user: sam.name } } });
		const { body } = await owner.call('GET', `/history/${id}`);
		expect(body['taps']).toMatchObject([{ user: sam.name }]);
	});

	it.each(['deadline', 'form', 'Console'])('of one who is called %s', async (name) => {
		const person = await addPerson(name);
		const phone = await pair(name);
		const id = await ask();
		await answerOn(phone, id);
		const given = (await read(id))['answer'];
		expect(given.by).toEqual({ user: name, device: expect.stringMatching(/^Phone/) });
		await owner.call('DELETE', `/users/${person.id}`);
	});

	it.each([
		['a capital ß', 'Jörg Weiß', 'Jörg Weiẞ'],
		['a dotless i', 'Dina', 'Dına'],
		['another hyphen', 'Ada-Eva', 'Ada\u2010Eva'],
		['marks in another order', 'A\u0323\u0301da', 'A\u0301\u0323da'],
		['a joiner that prints nothing', 'Uma', 'Uma\u2D7F'],
		['an Armenian letter', 'Oona', '\u0555ona'],
		['a capital I', 'Karl Alt', 'KarI AIt'],
	])('of a twin with %s', async (_with, name, twin) => {
		await addPerson(name);
		const eve = await addMember();
		const { status } = await eve.call('PUT', '/profile', { name: twin });
		expect([400, 409]).toContain(status);
		expect((await owner.call('POST', '/users', { name: twin })).status).toBe(status);
	});

	it.each(['olga', 'Olga\u200B', 'ОЛГА', 'usr_x'])(
		'of a phone that a member pairs for %j',
		async (user) => {
			const eve = await addMember();
			const { status } = await eve.call('POST', '/devices/pair-code', { user });
			expect([403, 404]).toContain(status);
		},
	);

	it('of a phone that a member gives to somebody else', async () => {
		const eve = await addMember();
		const phone = await pair(eve.name);
		for (const more of [{ user: 'Olga' }, { user_id: await idOf('Olga') }])
			expect(
				(await eve.call('PUT', `/devices/${phone.id}`, { name: 'Mine', ...more })).status,
			).toBe(400);
	});

	it('of a code for somebody who was removed meanwhile', async () => {
		const sam = await addPerson();
		const { body } = await owner.call('POST', '/devices/pair-code', { user: sam.name });
		await owner.call('DELETE', `/users/${sam.id}`);
		await addPerson(sam.name);
		const payload = { code: body['code'], name: 'New', platform: 'web' };
		const paired = await server.app.inject({ method: 'POST', url: '/device/pair', payload });
		expect(paired.statusCode).toBe(404);
	});
});

describe('a push that is sent again reaches more than at first', () => {
	it('because its channel was made anew for others', async () => {
		const [sam, bob] = [await addPerson(), await addPerson()];
		const [first, second] = [await pair(sam.name), await pair(bob.name)];
		const ops = await addChannel([sam.name]);
		const id = await push({ target: { channels: [ops] } });
		await owner.call('DELETE', `/channels/${ops}`);
		await server.addChannel(ops, { users: [bob.name] });
		expect((await sendAgain(id)).status).toBe(422);
		expect([await received(first), await received(second)]).toEqual([1, 0]);
	});

	it('because its one phone was paired anew', async () => {
		const sam = await addPerson();
		const phone = await pair(sam.name);
		const id = await push({ target: { channels: [toPhoneSlug(phone.id)] } });
		await phone.call('DELETE', '/');
		const next = await pair(sam.name);
		expect((await sendAgain(id)).status).toBe(422);
		expect(await received(next)).toBe(0);
	});

	it('because it was sent again before', async () => {
		const id = await push({});
		const first = (await sendAgain(id)).body;
		const late = await pair((await addPerson()).name);
		const { status, body } = await sendAgain(first['history_id']);
		expect(status).toBe(200);
		expect(body['devices_notified']).toBe(first['devices_notified']);
		expect(await received(late)).toBe(0);
	});

	it('because its channel has others since, who also reach it by theirs', async () => {
		const [sam, bob] = [await addPerson(), await addPerson()];
		const [first, second] = [await pair(sam.name), await pair(bob.name)];
		const [ops, sales] = [await addChannel([sam.name]), await addChannel([sam.name])];
		const id = await push({ target: { channels: [ops, sales, toPhoneSlug(first.id)] } });
		await setChannel(ops, { users: [bob.name] });
		await setChannel(sales, { users: [bob.name] });
		expect((await sendAgain(id)).body).toMatchObject({ devices_notified: 1 });
		expect([await received(first), await received(second)]).toEqual([2, 0]);
	});
});

describe('a mass action says another number than it reaches', () => {
	const TARGETS: Record<string, (ops: string, phone: string) => string[] | undefined> = {
		'all phones': () => undefined,
		'two channels with the same person': (ops) => [ops, 'overlap'],
		'a channel and a phone in it': (ops, phone) => [ops, phone],
		'one phone': (_ops, phone) => [phone],
	};
	const REQUESTS: Record<string, (channels: string[] | undefined) => object> = {
		push: (channels) => ({ body: { title: 'A', ...(channels && { target: { channels } }) } }),
		question: (channels) => ({ body: { ...ASKED, ...(channels && { target: { channels } }) } }),
		repeated: (channels) => ({
			body: {
				push: { title: 'A', ...(channels && { target: { channels } }) },
				repeat: { every_minutes: 60, times: 1 },
			},
		}),
		stream: (channels) => ({
			key: 'mass',
			body: { content_state: STATES.alert, ...(channels && { channels }) },
		}),
	};
	let ops: string;
	let phone: string;
	beforeAll(async () => {
		const sam = await addPerson();
		phone = toPhoneSlug((await pair(sam.name)).id);
		await pair(sam.name);
		ops = await addChannel([sam.name]);
		await server.addChannel('overlap', { users: [sam.name, 'Olga'] });
	});

	it.each(Object.keys(REQUESTS))('of a %s', async (request) => {
		for (const [what, channels] of Object.entries(TARGETS)) {
			const sent = { request, ...REQUESTS[request]!(channels(ops, phone)) };
			const preview = await owner.call('POST', '/playground/preview', sent);
			const { status, body } = await owner.call('POST', '/playground/send', sent);
			expect([what, status, body['devices_notified']]).toEqual([what, 200, preview.body['phones']]);
			await owner.call('DELETE', '/streams/mass');
		}
	});
});
