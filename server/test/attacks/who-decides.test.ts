import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { changeAccount, findAccount } from '../../src/service/accounts/accounts.ts';
import { endActivities } from '../support/server.ts';
import {
	answerOn,
	ASKED,
	cardsOn,
	done,
	onPhone,
	shows,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/**
 * Attempts to decide for others, or to be decided for by others: by the holder of a limited key, a member of the account
 * who is no owner, and the holder of a phone. Ada alone is in `ops`, Bob alone in `sales`.
 */

let team: Team;
beforeAll(async () => {
	team = await startTeam();
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	await team.setChannel('sales', ['Bob']);
	await withdrawOpen(team.server, team.ada);
	await withdrawOpen(team.server, team.bob);
	await endActivities({ ...team.server, phone: team.ada });
	await endActivities({ ...team.server, phone: team.bob });
	// Cards that have ended are shown for three minutes.
	team.server.clock.advance(300);
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const byOps = () => ({ key: team.ops });
const ops = { target: { channels: ['ops'] } };
const stateOf = (id: string) => call('GET', `/questions/${id}`);
const openOn = async (phone = team.ada): Promise<any[]> =>
	(await phone.snapshot()).questions
		.map(({ push }: any) => push.question)
		.filter(({ status }: any) => status === 'open');

describe('a limited key has somebody asked whom it has not named', () => {
	it.each([
		['in small letters', ['ada']],
		['with a blank within', ['A da']],
		['with a letter that nobody sees', ['A\u200Bda']],
		['in Cyrillic letters', ['\u0410d\u0430']],
		['with a part of it', ['Ad']],
		['with a sign for any letters', ['A%']],
		['beside one who is not reached', ['Ada', 'Bob']],
		['beside one who does not exist', ['Ada', 'Zoe']],
		['by the id of the person', ['usr_']],
		['as a list of nobody', []],
	])('with a name %s: nobody is asked', async (_how, answerable_by) => {
		const { status } = await team.server.call(
			'POST',
			'/questions',
			{ ...ASKED, answerable_by },
			byOps(),
		);
		expect([400, 422]).toContain(status);
		expect(await openOn()).toEqual([]);
		expect(await openOn(team.bob)).toEqual([]);
	});
});

describe('a trial account makes room by the card of a question', () => {
	const change = async (plan: 'trial' | 'paid') => {
		const { context, account } = team.server;
		await changeAccount(context, await findAccount(context, account.id), { plan });
	};
	const fill = async () => {
		for (let count = 0; count < 5; count += 1) {
			team.server.clock.advance(1);
			await call('POST', '/live-activity/start', shows(`Card ${count}`), byOps());
		}
	};

	it.each(['the choices of a card', 'the console', 'the answer on the phone'])(
		'since other cards came: it is still open, and %s decides only if it may',
		async (where) => {
			await change('trial');
			try {
				const asked = { ...ASKED, ...ops, live_activity: {} };
				const { question_id: id } = await call('POST', '/questions', asked);
				const [card] = (await team.ada.snapshot()).activities;
				expect(card.content_state.title).toBe('Deploy?');
				await fill();
				team.server.clock.advance(1);
				expect(await cardsOn(team.ada)).not.toContain('Deploy?');
				expect((await openOn()).map((one) => one.question_id)).toEqual([id]);
				if (where === 'the console') {
					const answer = await team.max.call('POST', `/questions/${id}/answer`, { choice: 'yes' });
					expect([answer.status === 200 && answer.body['outcome'], 'refused']).toContain('refused');
					expect(await stateOf(id)).toMatchObject({ status: 'open' });
				} else if (where === 'the choices of a card') {
					const tap = { tap_id: randomUUID(), activity_id: card.activity_id, action: 'action' };
					const { status, body } = await team.ada.call('POST', '/taps', tap);
					const after = await stateOf(id);
					// Either it counts, as an answer to what the card asked, or it changes nothing and says so.
					if (status === 200 && body['outcome'] === 'called')
						expect(after).toMatchObject({ status: 'answered', answer: { choice: 'yes' } });
					else expect(after).toMatchObject({ status: 'open' });
				} else {
					expect(await done(answerOn(team.ada, id))).toMatchObject({ outcome: 'answered' });
				}
			} finally {
				await change('paid');
			}
		},
	);

	it('of another account: none of its cards goes', async () => {
		await change('trial');
		try {
			await call('POST', '/live-activity/start', shows('Theirs'), { key: team.strangersKey });
			await fill();
			team.server.clock.advance(1);
			await call('POST', '/live-activity/start', shows('One more'), byOps());
			team.server.clock.advance(1);
			expect(await cardsOn(team.stranger)).toEqual(['Theirs']);
			expect(await cardsOn(team.ada)).toHaveLength(5);
		} finally {
			await change('paid');
			await endActivities({
				...team.server,
				phone: team.stranger,
				call: (method, path, body) =>
					team.server.call(method, path, body, { key: team.strangersKey }),
			});
		}
	});
});

describe('who has the same card taps it for another', () => {
	const linkKeyOf = (id: string) => createHmac('sha256', 's').update(id).digest('base64url');
	beforeAll(() => void Object.assign(team.server.context.settings, { linkKeyOf }));
	afterAll(() => void Object.assign(team.server.context.settings, { linkKeyOf: undefined }));

	/**
	 * Low. A Live Activity's `link_key` is the same on all phones that show it (delivery/apns/settings.ts, linkKeyOf), and
	 * the app taps at once for a link that another app opens (app/src/app.tsx, `link?.kind !== 'tap'`). Bob has the card
	 * too, so he knows its key; if Ada opens `beckon://tap/…` with it, she approves without having looked, in her name, even
	 * where only she may answer. Low: Bob must read the payload of his own iPhone, which takes a developer's tools, and Ada
	 * must open his link. Fix: `linkKeyOf(`${activityId} ${deviceId}`)` for the attributes of the start, which each phone
	 * gets by itself even with a broadcast channel (notification.ts, activityPayload; taps/report.ts, decide); or let
	 * the app ask before a tap while its card is not in sight.
	 */
	it.failing('by the link of their own phone', async () => {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const asked = { ...ASKED, ...ops, live_activity: {}, answerable_by: ['Ada'] };
		const { question_id: id } = await call('POST', '/questions', asked);
		const [onBob] = (await team.bob.snapshot()).activities;
		const { activity_id, updated_at } = onBob;
		const link = { activity_id, updated_at, action: 'action', link_key: linkKeyOf(activity_id) };
		await team.ada.call('POST', '/taps', { tap_id: randomUUID(), ...link });
		expect(await stateOf(id)).toMatchObject({ status: 'open' });
	});

	it('on their own phone: a question that only she may answer stays open', async () => {
		await team.setChannel('ops', ['Ada', 'Bob']);
		const asked = { ...ASKED, ...ops, live_activity: {}, answerable_by: ['Ada'] };
		const { question_id: id } = await call('POST', '/questions', asked);
		const [onBob] = (await team.bob.snapshot()).activities;
		const { activity_id, updated_at } = onBob;
		const link = { activity_id, updated_at, action: 'action', link_key: linkKeyOf(activity_id) };
		const { body } = await team.bob.call('POST', '/taps', { tap_id: randomUUID(), ...link });
		expect(body['outcome']).not.toBe('called');
		expect(await stateOf(id)).toMatchObject({ status: 'open' });
	});
});

describe('a limited key settles the taps of another', () => {
	const SESSION = 'session-of-n8n-1';
	const urlOf = (id: string) => `https://beckon.example.com/api/triggers/${id}`;
	const triggerId = (letter: string) => `trg_${letter.repeat(43)}`;

	async function waitingTap(letter: string) {
		const id = triggerId(letter);
		await call('PUT', `/triggers/${id}`, { name: 'Deploy', session: SESSION });
		await call('POST', `/triggers/${id}/done`, { taps: [], end_session: SESSION });
		team.server.clock.advance(120);
		const actions = [{ title: 'Go', type: 'webhook', url: urlOf(id) }];
		await call('POST', '/push-notification', { title: 'Deploy?', ...ops, actions });
		const push = (await team.ada.inbox()).findLast(({ kind }) => kind === 'push');
		const tap_id = randomUUID();
		await done(team.ada.call('POST', '/taps', { tap_id, delivery_id: push.id, action: 0 }));
		return { id, tap_id };
	}

	it.each(['at its own trigger', 'at that of the other', 'while it has taken none'])(
		'by the number of the tap, %s',
		async (where) => {
			const letter = { 'at its own trigger': 'u', 'at that of the other': 'v' }[where] ?? 'w';
			const { id, tap_id } = await waitingTap(letter);
			const own = triggerId(letter.toUpperCase());
			await call('PUT', `/triggers/${own}`, { name: 'Own', session: SESSION }, byOps());
			const done_at = where === 'at that of the other' ? id : own;
			const taps = where === 'while it has taken none' ? [tap_id, randomUUID()] : [tap_id];
			await team.server.call('POST', `/triggers/${done_at}/done`, { taps }, byOps());
			await call('PUT', `/triggers/${id}`, { name: 'Deploy', session: SESSION });
			const { taps: left } = await call('GET', `/triggers/${id}/taps?session=${SESSION}`);
			expect(left.map((tap: any) => tap.tap_id)).toEqual([tap_id]);
		},
	);
});

describe('a member changes who may decide, without saying so', () => {
	it('by a channel’s people together with the phone of another account: nothing changes', async () => {
		const { question_id: id } = await call('POST', '/questions', { ...ASKED, ...ops });
		const change = { users: ['Max'], devices: [team.stranger.id] };
		expect((await team.max.call('PUT', '/channels/ops', change)).status).toBe(404);
		const { body } = await team.max.call('GET', '/channels/ops');
		expect(body).toMatchObject({ users: ['Ada'], device_count: 0 });
		expect(await done(answerOn(team.ada, id))).toMatchObject({ outcome: 'answered' });
	});

	it.each(['answer', 'withdraw', 'question_answer', 'trigger', 'image', 'people', '__proto__'])(
		'by a request %s of the Playground',
		async (request) => {
			const { question_id: id } = await call('POST', '/questions', { ...ASKED, ...ops });
			const sent = { request, key: id, body: { choice: 'yes', fields: {} } };
			for (const path of ['/playground/send', '/playground/preview'])
				expect((await team.max.call('POST', path, sent)).status).toBe(400);
			expect(await stateOf(id)).toMatchObject({ status: 'open' });
		},
	);

	it.each(['the id of a member', 'the id of a person', 'the name of the owner'])(
		'as another, by %s beside the answer',
		async (how) => {
			const max = await team.server.pairPhone({ user: 'Max', name: team.unique('Phone') });
			await team.setChannel('ops', ['Ada', 'Max']);
			const { question_id: id } = await call('POST', '/questions', { ...ASKED, ...ops });
			const beside = {
				'the id of a member': { member_id: team.olga.memberId },
				'the id of a person': { user_id: await team.idOf('Ada') },
				'the name of the owner': { by: { user: 'Olga', device: null } },
			}[how];
			const answer = { choice: 'yes', ...beside };
			await team.max.call('POST', `/questions/${id}/answer`, answer);
			await max.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), ...answer });
			const state = await stateOf(id);
			expect([undefined, 'Max']).toContain(state['answer']?.by?.user);
		},
	);

	it.each(['a push', 'a repeat', 'a badge'])(
		'by ending %s for another whom the key names with her phone, after she has left',
		async (what) => {
			const target = onPhone(team.ada);
			const before = await cardsOn(team.ada);
			await team.setChannel('ops', []);
			const push = { title: 'To Ada', target };
			const requests: Record<string, [string, object]> = {
				'a push': ['/push-notification', push],
				'a repeat': [
					'/push-notification/repeated',
					{ push, repeat: { every_minutes: 1, times: 1 } },
				],
				'a badge': ['/badge', { badge: 9, target }],
			};
			const [path, body] = requests[what]!;
			expect((await team.server.call('POST', path, body, byOps())).status).toBe(403);
			expect(await cardsOn(team.ada)).toEqual(before);
			expect((await team.ada.snapshot()).badge).not.toBe(9);
		},
	);
});
