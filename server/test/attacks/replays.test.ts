import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { snoozes } from '../../src/service/phones/snoozes.ts';
import { settleDue } from '../support/later.ts';
import type { TestPhone } from '../support/server.ts';
import { answerOn, ASKED, done, onPhone, startTeam, type Team } from './support/team.ts';

/** Attempts with answers, codes and undos that were used before, and with two things at once. */

let team: Team;
beforeAll(async () => {
	team = await startTeam();
});
afterAll(() => team.server.close());

const letAttemptsPass = () => team.server.clock.advance(15 * 60);
const post = (path: string, body: object) => done(team.server.call('POST', path, body));
const ask = async (more: object = {}) =>
	String((await post('/questions', { ...ASKED, ...more }))['question_id']);
const read = (id: string) => done(team.server.call('GET', `/questions/${id}`));
const newest = async (phone: TestPhone) => (await phone.inbox()).at(-1);
const titles = async (phone: TestPhone) =>
	(await phone.snapshot()).notifications.map(({ push }: any) => push.title);

async function addPerson(name: string): Promise<string> {
	await done(team.olga.call('POST', '/users', { name }));
	const names = (await team.olga.call('GET', '/user-names')).body as unknown as any[];
	return names.find((one) => one.name === name).id;
}
const pair = (user: string) => {
	letAttemptsPass();
	return team.server.pairPhone({ user, name: team.unique('Phone') });
};
const merge = (id: string, into: string) => team.olga.call('POST', `/users/${id}/merge`, { into });

describe('an answer is given again, or as another', () => {
	it('by the tap of an earlier button, or question', async () => {
		const target = onPhone(team.ada);
		const open = { title: 'Open', type: 'open_url', url: 'https://example.com' };
		const hook = { title: 'Go', type: 'webhook', url: 'https://example.invalid/hook' };
		await post('/push-notification', { title: 'A', actions: [open, hook], target });
		const { id: delivery_id } = await newest(team.ada);
		const tap_id = randomUUID();
		await done(team.ada.call('POST', '/taps', { tap_id, delivery_id, action: 0 }));
		const [first, second] = [await ask({ target }), await ask({ target })];
		expect((await answerOn(team.ada, first, { tap_id, choice: 'yes' })).status).toBe(400);
		const own = { tap_id: randomUUID(), choice: 'no' };
		await done(answerOn(team.ada, first, own));
		for (const changed of [own, { ...own, choice: 'yes' }])
			expect((await answerOn(team.ada, second, changed)).status).toBe(400);
		const replayed = await done(answerOn(team.ada, first, { ...own, choice: 'yes' }));
		expect(replayed).toMatchObject({ question: { answer: { choice: 'no' } } });
		const upper = await done(
			answerOn(team.ada, first, { tap_id: own.tap_id.toUpperCase(), choice: 'yes' }),
		);
		expect(upper['question'].answer).toMatchObject({ choice: 'no' });
		const reported = await done(
			team.ada.call('POST', '/taps', { tap_id: own.tap_id, delivery_id, action: 1 }),
		);
		// What became of that tap: nothing is called.
		expect(reported['message']).toMatch(/^Decline/);
		expect(await read(second)).toMatchObject({ status: 'open' });
		await done(team.server.call('DELETE', `/questions/${second}`));
	});

	it.each([
		{ choice: 'YES' },
		{ choice: 'yes ' },
		{ choice: 'Approve' },
		{ choice: '__proto__' },
		{ choice: '0' },
		{ choice: 0 },
		{ choice: ['yes'] },
		{ choice: null, text: 'yes' },
		{ text: 'yes' },
		{ choice: 'yes', device: 'Phone of Bob' },
		{ choice: 'yes', user_id: 'usr_x' },
	])('as %j', async (given) => {
		const id = await ask();
		for (const { status } of [
			await answerOn(team.ada, id, given),
			await team.max.call('POST', `/questions/${id}/answer`, given),
		])
			expect(status).toBe(400);
		expect(await read(id)).toMatchObject({ status: 'open' });
		await done(team.server.call('DELETE', `/questions/${id}`));
	});

	it('by the button of one who is not named, with a tap', async () => {
		const id = await ask({ answerable_by: ['Ada'], target: { channels: ['ops', 'sales'] } });
		const { id: delivery_id } = await newest(team.bob);
		for (const action of [0, 1, 2, 3])
			await team.bob.call('POST', '/taps', { tap_id: randomUUID(), delivery_id, action });
		expect((await answerOn(team.bob, id)).body).toMatchObject({ outcome: 'refused' });
		expect(await read(id)).toMatchObject({ status: 'open' });
		await done(team.server.call('DELETE', `/questions/${id}`));
	});
});

describe('people are merged while it is open', () => {
	it('and answer in the same moment: once, under one of the names', async () => {
		const [old, into] = [team.unique('Old'), team.unique('Into')];
		const [from, to] = [await addPerson(old), await addPerson(into)];
		const phone = await pair(old);
		const id = await ask({ answerable_by: [old, into] });
		const [answered] = await Promise.all([answerOn(phone, id), merge(from, to)]);
		// By a name that is gone meanwhile, it is refused, and stays open.
		if (answered.body['outcome'] === 'refused') {
			expect(await read(id)).toMatchObject({ status: 'open', answerable_by: [into] });
			await done(answerOn(phone, id));
		}
		expect([old, into]).toContain((await read(id))['answer'].by.user);
		expect((await answerOn(phone, id)).body).toMatchObject({ outcome: 'refused' });
	});

	it('twice in a row: the last may answer, on the phone that got it, and nobody by a name of before', async () => {
		const [a, b, c] = [team.unique('A'), team.unique('B'), team.unique('C')];
		const [idA, idB, idC] = [await addPerson(a), await addPerson(b), await addPerson(c)];
		const phone = await pair(a);
		const id = await ask({ answerable_by: [a] });
		const late = await pair(c);
		await done(merge(idA, idB));
		await done(merge(idB, idC));
		await addPerson(a);
		const twin = await pair(a);
		for (const one of [late, twin]) expect((await answerOn(one, id)).status).toBe(404);
		expect(await read(id)).toMatchObject({ answerable_by: [c] });
		await done(answerOn(phone, id));
		expect(await read(id)).toMatchObject({ answer: { by: { user: c } } });
	});

	it('with all that they had at once: codes, snoozes of the same push, and the same channels', async () => {
		const [old, into] = [team.unique('Old'), team.unique('Into')];
		const [from, to] = [await addPerson(old), await addPerson(into)];
		const phones = [await pair(old), await pair(into)];
		const slug = team.unique('both').replace(' ', '-');
		await team.server.addChannel(slug, { users: [old, into] });
		const target = { channels: [slug] };
		await post('/push-notification', { title: 'Twice', target });
		for (const phone of phones) {
			const delivery_id = (await newest(phone)).id;
			await done(phone.call('POST', '/snoozes', { delivery_id, until: 'hour', time_zone: 'UTC' }));
		}
		const id = await ask({ answerable_by: [old, into], target });
		const { code } = await done(team.olga.call('POST', '/devices/pair-code', { user: old }));
		await done(merge(from, to));
		team.server.clock.advance(10);
		const payload = { code, name: 'Late', platform: 'web' };
		const paired = await team.server.app.inject({
			method: 'POST',
			url: '/device/pair',
			payload,
			remoteAddress: '10.9.0.1',
		});
		expect(paired.json().device.user).toEqual({ id: to, name: into });
		const headers = { authorization: `Bearer ${paired.json().token}` };
		const tried = await team.server.app.inject({
			method: 'POST',
			url: `/device/questions/${id}/answer`,
			headers,
			payload: { tap_id: randomUUID(), choice: 'yes' },
		});
		expect(tried.statusCode).toBe(404);
		team.server.clock.advance(60 * 60);
		await settleDue(team.server.context, snoozes);
		for (const phone of phones)
			expect((await titles(phone)).filter((one: string) => one === 'Twice')).toHaveLength(1);
		expect(await read(id)).toMatchObject({ answerable_by: [into] });
		await done(team.server.call('DELETE', `/questions/${id}`));
	});
});

describe('two things happen at once', () => {
	it.each<[string, (name: string, id: string, phone: TestPhone) => Promise<unknown>]>([
		['leaves the channel', (_name, _id, _phone) => team.setChannel('ops', ['Ada'])],
		['is removed', (_name, id) => done(team.olga.call('DELETE', `/users/${id}`))],
		['is unpaired', (_name, _id, phone) => done(team.olga.call('DELETE', `/devices/${phone.id}`))],
		['unpairs', (_name, _id, phone) => done(phone.call('DELETE', '/'))],
	])('somebody answers, and %s: it is theirs, or open', async (_what, leave) => {
		const name = team.unique('Both');
		const person = await addPerson(name);
		const phone = await pair(name);
		await team.setChannel('ops', ['Ada', name]);
		const id = await ask({ target: { channels: ['ops'] } });
		const [answered] = await Promise.all([answerOn(phone, id), leave(name, person, phone)]);
		const { status, answer } = await read(id);
		const isAnswered = answered.body['outcome'] === 'answered';
		expect([status, answer?.by.user]).toEqual(
			isAnswered ? ['answered', name] : ['open', undefined],
		);
		const after = await answerOn(phone, id);
		expect(after.body['outcome']).not.toBe('answered');
		if (!isAnswered) await done(team.server.call('DELETE', `/questions/${id}`));
		await team.setChannel('ops', ['Ada']);
	});

	it('a phone is paired, and its person removed: it is not paired, or nobody’s', async () => {
		const name = team.unique('Gone');
		const person = await addPerson(name);
		const { code } = await done(team.olga.call('POST', '/devices/pair-code', { user: name }));
		letAttemptsPass();
		const fresh = await done(team.olga.call('POST', '/devices/pair-code', { user: name }));
		const payload = { code: fresh['code'] ?? code, name: 'Late', platform: 'web' };
		const [paired] = await Promise.all([
			team.server.app.inject({
				method: 'POST',
				url: '/device/pair',
				payload,
				remoteAddress: '10.9.0.2',
			}),
			done(team.olga.call('DELETE', `/users/${person}`)),
		]);
		const headers = { authorization: `Bearer ${paired.json().token}` };
		const seen = await team.server.app.inject({ method: 'GET', url: '/device/snapshot', headers });
		expect(seen.statusCode).toBe(401);
	});

	it('a code is used again once its phone has left', async () => {
		letAttemptsPass();
		const { code } = await done(team.olga.call('POST', '/devices/pair-code', { user: 'Bob' }));
		const use = () =>
			team.server.app.inject({
				method: 'POST',
				url: '/device/pair',
				payload: { code, name: 'Once', platform: 'web' },
				remoteAddress: '10.9.0.3',
			});
		const { token } = (await use()).json();
		const headers = { authorization: `Bearer ${token}` };
		await team.server.app.inject({ method: 'DELETE', url: '/device', headers });
		expect((await use()).statusCode).toBe(404);
	});
});

describe('what is gone comes back', () => {
	it.each(['0', '00', '000000000000000', '999999999999999'])('by an undo of %s', async (undo) => {
		await post('/push-notification', { title: team.unique('Kept'), target: onPhone(team.bob) });
		const before = await titles(team.bob);
		expect(await done(team.bob.call('POST', '/notifications/restore', { undo }))).toMatchObject({
			restored: 0,
		});
		expect(await titles(team.bob)).toEqual(before);
	});
});

describe('what is sent again reaches more than the number that was offered', () => {
	const SINCE: Record<string, (phone: TestPhone, slug: string) => Promise<unknown>> = {
		nothing: async () => undefined,
		'one has muted its channel': (phone, slug) =>
			done(phone.call('PUT', `/channels/${slug}`, { muted: true })),
		'one was unpaired': (phone) => done(team.olga.call('DELETE', `/devices/${phone.id}`)),
		'one has left': (_phone, slug) => team.setChannel(slug, ['Ada']),
		'others came': (_phone, slug) =>
			done(team.olga.call('PUT', `/channels/${slug}`, { devices: [team.server.phone.id] })),
		'its channel was deleted': (_phone, slug) =>
			done(team.olga.call('DELETE', `/channels/${slug}`)),
	};
	it.each(Object.keys(SINCE))('since %s', async (since) => {
		const name = team.unique('Reached');
		await addPerson(name);
		const phone = await pair(name);
		const slug = name.toLowerCase().replace(' ', '-');
		await team.server.addChannel(slug, { users: ['Ada', name] });
		const sent = await team.server.call('POST', '/push-notification', {
			title: 'Again',
			target: { channels: [slug] },
		});
		const id = String(sent.headers['beckon-history-id']);
		await SINCE[since]!(phone, slug);
		const { again } = await done(team.olga.call('GET', `/history/${id}`));
		const { status, body } = await team.max.call('POST', `/history/${id}/send`);
		const own = (await team.server.phone.inbox()).filter(({ push }) => push?.title === 'Again');
		expect([status === 200 ? body['devices_notified'] : 0, own]).toEqual([again, []]);
	});
});
