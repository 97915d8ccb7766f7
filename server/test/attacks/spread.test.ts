import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { quietSummaries } from '../../src/service/sending/quiet-summary.ts';
import { questionTimes } from '../../src/service/questions/due.ts';
import { settleDue } from '../support/later.ts';
import { endActivities } from '../support/server.ts';
import { send } from '../senders/support/send.ts';
import {
	answerOn,
	ASKED,
	cardsOn,
	done,
	onPhone,
	shows,
	startTeam,
	type Team,
} from './support/team.ts';

/** Attempts with a limited key to spread what others were sent, and to see what is gone. Ada and Bob are in `ops`. */

let team: Team;
beforeAll(async () => {
	team = await startTeam({ BECKON_PUBLIC_URL: 'https://beckon.example.com' });
	await team.setChannel('ops', ['Ada', 'Bob']);
});
afterEach(async () => {
	for (const phone of [team.ada, team.bob]) await endActivities({ ...team.server, phone });
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const streamKey = () => team.unique('stream').replace(' ', '-');
const by = (key: string) => ({ key });
const told = async () => JSON.stringify([await team.bob.inbox(), await team.bob.snapshot()]);

describe('what one phone alone was sent reaches the others of its channel', () => {
	/** What a key of all channels shows to Ada alone. */
	async function showToAda() {
		const key = streamKey();
		const content_state = { ...shows('Salary').content_state, message: '€ 5,000' };
		const { channels } = onPhone(team.ada);
		const path = `/live-activity/stream/${key}`;
		const { activity_id } = await call('PUT', path, { content_state, channels });
		return { path, activity_id };
	}

	it.each<[string, object]>([
		['to all of them', { content_state: {} }],
		['to its channel', { content_state: {}, channels: ['ops'] }],
		['with another title', { content_state: { title: 'News' }, channels: ['ops'] }],
	])('by a stream that a key of the channel sends on, %s', async (_to, body) => {
		const { path } = await showToAda();
		await team.server.call('PUT', path, body, by(team.ops));
		expect(await told()).not.toMatch(/Salary|5,000/);
	});

	it('by a stream that is sent on to another phone of the channel', async () => {
		const { path } = await showToAda();
		const { channels } = onPhone(team.bob);
		for (const some of [channels, [...channels, ...onPhone(team.ada).channels]])
			await team.server.call('PUT', path, { content_state: {}, channels: some }, by(team.ops));
		expect(await told()).not.toMatch(/Salary|5,000/);
	});

	it('by a question that is put on the stream', async () => {
		const { path } = await showToAda();
		const stream_key = path.split('/').at(-1);
		const asked = { ...ASKED, live_activity: { stream_key, keep: true } };
		const { body } = await team.server.call('POST', '/questions', asked, by(team.ops));
		expect(await told()).not.toMatch(/Salary|5,000/);
		if (body['question_id']) await call('DELETE', `/questions/${body['question_id']}`);
	});

	it('by the stream once it was paused and resumed', async () => {
		const { path } = await showToAda();
		const key = path.split('/').at(-1);
		await done(team.olga.call('POST', `/streams/${key}/pause`));
		await team.server.call('PUT', path, { content_state: {}, channels: ['ops'] }, by(team.ops));
		await done(team.olga.call('POST', `/streams/${key}/resume`));
		expect(await told()).not.toMatch(/Salary|5,000/);
		await call('DELETE', path);
	});

	it('but all that the key itself sends does', async () => {
		const { path } = await showToAda();
		// On the phone that had it, it is changed as ever.
		const { channels } = onPhone(team.ada);
		await call('PUT', path, { content_state: { title: 'Less' }, channels }, by(team.ops));
		expect(await cardsOn(team.ada)).toContain('Less');
		const body = { ...shows('Whole'), channels: ['ops'] };
		expect(await call('PUT', path, body, by(team.ops))).toMatchObject({ operation: 'rotated' });
		expect(await cardsOn(team.bob)).toContain('Whole');
		expect(await told()).not.toMatch(/5,000/);
	});

	it.each(['update', 'end'] as const)('by an %s of its activity', async (how) => {
		const { activity_id } = await showToAda();
		const body = { activity_id, content_state: { subtitle: 'For all' } };
		await team.server.call('POST', `/live-activity/${how}`, body, by(team.ops));
		expect(await told()).not.toMatch(/Salary|5,000|For all/);
	});

	it('by a push of the same sequence, or the clearing of one', async () => {
		const headers = { 'x-sequence-id': 'pay' };
		await call(
			'POST',
			'/push-notification',
			{ title: 'Salary', target: onPhone(team.ada) },
			{ headers },
		);
		await call('POST', '/push-notification', { title: 'Mine' }, { headers, ...by(team.ops) });
		const titles = (await team.ada.snapshot()).notifications.map(({ push: p }: any) => p.title);
		expect(titles).toEqual(expect.arrayContaining(['Salary', 'Mine']));
		const sender = await team.server.addSenderKey(['ops']);
		await send(team.server, '/ntfy/ops/pay', { method: 'DELETE', key: sender });
		expect(await told()).not.toMatch(/Salary/);
		const left = (await team.ada.snapshot()).notifications.map(({ push: p }: any) => p.title);
		expect(left).toContain('Salary');
	});

	it('by the picture of a push, which its own push shows too', async () => {
		const image = await team.server.app.inject({
			method: 'POST',
			url: '/api/images',
			headers: {
				authorization: `Bearer ${team.server.account.key}`,
				'content-type': 'image/gif',
			},
			payload: Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'),
		});
		const media = image.json().url as string;
		await call('POST', '/push-notification', { title: 'Pic', media, target: onPhone(team.ada) });
		for (const path of [
			'/images/',
			'/images/%2e%2e%2f',
			`/images/${media.split('/').at(-1)!.slice(0, -1)}`,
			`/images/${media.split('/').at(-1)!.toLowerCase()}x`,
		])
			expect((await team.server.app.inject({ url: path })).statusCode).toBeGreaterThanOrEqual(400);
		expect(await told()).not.toContain(media);
	});
});

describe('a question seems to have ended', () => {
	it('because another of the same title, on the same stream, has', async () => {
		const stream_key = streamKey();
		const ask = (message: string, more: object = {}) =>
			call('POST', '/questions', {
				...ASKED,
				message,
				target: { channels: ['ops'] },
				live_activity: { stream_key },
				...more,
			});
		const { question_id: first } = await ask('To the test system.');
		const { question_id: second } = await ask('To production.', { text: {} });
		await done(answerOn(team.ada, first));
		expect(await call('GET', `/questions/${second}`)).toMatchObject({ status: 'open' });
		const card = (await team.bob.snapshot()).activities.find(
			(one: any) => one.stream_key === stream_key,
		);
		expect(card).toMatchObject({
			content_state: { message: 'To production.' },
			dismiss_at: null,
		});
		await call('DELETE', `/questions/${second}`);
	});

	it('because its stream was ended by a key of the channel: it stays open', async () => {
		const stream_key = streamKey();
		const { question_id: id } = await call('POST', '/questions', {
			...ASKED,
			target: { channels: ['ops'] },
			live_activity: { stream_key },
		});
		const final = { content_state: { message: 'Approved by Ada.' } };
		await call('DELETE', `/live-activity/stream/${stream_key}`, final, by(team.ops));
		expect(await call('GET', `/questions/${id}`)).toMatchObject({ status: 'open' });
		const { push } = (await team.bob.snapshot()).questions[0];
		expect(push.question).toMatchObject({ question_id: id, status: 'open' });
		await done(answerOn(team.bob, id, { choice: 'no' }));
		expect(await call('GET', `/questions/${id}`)).toMatchObject({ answer: { choice: 'no' } });
	});

	it('and is asked again, or further on, after its withdrawal or its key', async () => {
		const asking = {
			...ASKED,
			title: 'Gone?',
			target: onPhone(team.ada),
			remind: { every_minutes: 1, times: 5 },
			escalate: { after_minutes: 2, target: { channels: ['sales'] } },
		};
		const key = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
		const ids = [];
		for (const one of [by(key), {}])
			ids.push((await call('POST', '/questions', asking, one))['question_id']);
		await call('DELETE', `/questions/${ids[1]}`);
		await team.server.revokeKey(team.server.account.id, key);
		const before = [await team.ada.inbox(), await team.bob.inbox()];
		for (let minute = 0; minute < 6; minute += 1) {
			team.server.clock.advance(60);
			await settleDue(team.server.context, questionTimes);
		}
		expect([await team.ada.inbox(), await team.bob.inbox()]).toEqual(before);
		await call('DELETE', `/questions/${ids[0]}`);
	});
});

describe('the summary of a quiet time names what is gone', () => {
	const mute = (phone = team.ada) =>
		done(phone.call('PUT', '/quiet/mute', { mute: 'hour', time_zone: 'Europe/Berlin' }));
	async function summary() {
		team.server.clock.advance(60 * 60 + 1);
		await settleDue(team.server.context, quietSummaries);
		return JSON.stringify((await team.ada.inbox()).at(-1));
	}
	const toAda = () => ({ target: onPhone(team.ada) });

	it('since it has expired', async () => {
		await mute();
		await call(
			'POST',
			'/push-notification',
			{ title: 'Lost', ...toAda() },
			{ headers: { ttl: '60' } },
		);
		await call('POST', '/push-notification', { title: 'Kept', ...toAda() });
		const { pushExpiry } = await import('../../src/service/sending/stored-pushes.ts');
		team.server.clock.advance(61);
		await settleDue(team.server.context, pushExpiry);
		const told = await summary();
		expect(told).toContain('Kept');
		expect(told).not.toContain('Lost');
	});

	it('since another has taken its place', async () => {
		const headers = { 'x-sequence-id': 'quiet' };
		await mute();
		await call('POST', '/push-notification', { title: 'Lost', ...toAda() }, { headers });
		await call('POST', '/push-notification', { title: 'Kept', ...toAda() }, { headers });
		const told = await summary();
		expect(told).toContain('1 notification was held back');
		expect(told).not.toContain('Lost');
	});

	it('or what others were sent', async () => {
		await mute();
		await mute(team.bob);
		await call('POST', '/push-notification', { title: 'Bobs', target: onPhone(team.bob) });
		await call('POST', '/push-notification', { title: 'Adas', ...toAda() });
		const told = await summary();
		expect(told).toContain('Adas');
		expect(told).not.toContain('Bobs');
	});
});

describe('two phones start one workflow', () => {
	it('by the first tap on the same button, at the same time', async () => {
		const id = `trg_${'w'.repeat(43)}`;
		const session = 'session-of-n8n-7';
		await call('PUT', `/triggers/${id}`, { name: 'Pay', session });
		const actions = [
			{ title: 'Pay', type: 'webhook', url: `https://x.example/api/triggers/${id}` },
		];
		await call('POST', '/push-notification', {
			title: 'A',
			actions,
			target: { channels: ['ops'] },
		});
		const tap = async (phone = team.ada) =>
			phone.call('POST', '/taps', {
				tap_id: randomUUID(),
				delivery_id: (await phone.inbox()).at(-1).id,
				action: 0,
			});
		const both = await Promise.all([tap(team.ada), tap(team.bob)]);
		expect(both.map(({ body }) => body['outcome']).toSorted()).toEqual(['called', 'refused']);
		const { taps } = await call('GET', `/triggers/${id}/taps?session=${session}`);
		expect(taps).toHaveLength(1);
	});
});
