import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { endActivities } from '../support/server.ts';
import { WEBHOOK } from '../support/samples.ts';
import {
	answerOn,
	done,
	onPhone,
	shows,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/**
 * Attempts with the link of a question, which leads to a form, and the Live Activity that shows both: its link beside other
 * words, another link beside its words, and who opens it. Ada alone is in `ops`, Bob alone in `sales`.
 */

let team: Team;
beforeAll(async () => {
	team = await startTeam({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	for (const phone of [team.ada, team.bob]) {
		await withdrawOpen(team.server, phone);
		await endActivities({ ...team.server, phone });
	}
	// Until what has ended has left the phones.
	team.server.clock.advance(600);
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const byOps = () => ({ key: team.ops });
const toOps = { target: { channels: ['ops'] } };
const LINK = { title: 'Sign', url: 'https://forms.example.com/contract-7' };
const ONE = [{ id: 'no', title: 'Refuse' }];

/** The newest card on a phone. */
const card = async (phone = team.ada) => (await phone.snapshot()).activities.at(0);
const buttonsOf = (shown: any) => [shown?.action, shown?.secondary_action].filter(Boolean);
const urlsOn = async () => buttonsOf(await card()).map(({ url }: any) => url);

/** A question of the key of all channels with a form, on a stream of `ops`. */
async function asked(more: object = {}) {
	const key = team.unique('contract').replace(' ', '-');
	const { question_id: id } = await call('POST', '/questions', {
		...{ title: 'Contract 7 of Ms. Lee', message: 'The form signs it.', link: LINK, ...toOps },
		...{ live_activity: { stream_key: key }, ...more },
	});
	const { activity_id } = await card();
	return { key, id: String(id), activity_id, path: `/live-activity/stream/${key}` };
}
type Asked = Awaited<ReturnType<typeof asked>>;

const otherWords = { content_state: { type: 'alert', title: 'Lunch', message: 'Sign up here' } };
const play = (by: 'max' | 'olga', body: object) =>
	done(team[by].call('POST', '/playground/send', body));

describe('somebody opens the form of a question beside words that are not its own', () => {
	const REPLACED: Record<string, (of: Asked) => Promise<unknown>> = {
		'of a limited key, on its stream': ({ path }) => call('PUT', path, otherWords, byOps()),
		'of a limited key, by its id': ({ activity_id }) =>
			call('POST', '/live-activity/update', { activity_id, ...otherWords }, byOps()),
		'of a limited key, one field at a time': async ({ path }) => {
			await call('PUT', path, { content_state: { message: 'Sign up here' } }, byOps());
			await call('PUT', path, { content_state: { title: 'Lunch' } }, byOps());
		},
		'of a limited key, as a badge': ({ path }) =>
			call('PUT', path, { content_state: { badge: { title: 'Harmless' } } }, byOps()),
		'of a limited key, as an alert alone': ({ path }) =>
			call('PUT', path, { content_state: {}, alert: { title: 'Lunch', body: 'Sign up' } }, byOps()),
		'of a limited key, as it ends': ({ activity_id }) =>
			call('POST', '/live-activity/end', { activity_id, ...otherWords }, byOps()),
		'of another type': ({ path }) =>
			call('PUT', path, { content_state: { type: 'value', title: 'Lunch', value: '7' } }, byOps()),
		'of a member, by the Playground': ({ key }) =>
			play('max', { request: 'stream', key, body: { ...otherWords, channels: ['ops'] } }),
		'of the key that has asked': ({ path }) => call('PUT', path, { ...otherWords, ...toOps }),
	};

	const ENDED: Record<string, (of: Asked) => Promise<unknown>> = {
		'somebody has answered': ({ id }) => done(answerOn(team.ada, id, { choice: 'no' })),
		'its key has withdrawn it': ({ id }) => call('DELETE', `/questions/${id}`),
		'its form was filled in': ({ id }) =>
			call('POST', `/questions/${id}/answer`, { fields: { signed: true } }),
	};

	it.each(Object.keys(ENDED))('of the update after its end, since %s', async (how) => {
		const kept = team.unique('kept').replace(' ', '-');
		const again = await asked({ choices: ONE, live_activity: { stream_key: kept, keep: true } });
		await ENDED[how]!(again);
		await call('PUT', `/live-activity/stream/${kept}`, { ...otherWords, ...toOps });
		expect((await card()).content_state.title).toBe('Lunch');
		expect(await urlsOn()).toEqual([]);
	});

	it.each(Object.keys(REPLACED))('%s', async (how) => {
		const question = await asked();
		expect(await urlsOn()).toEqual([LINK.url]);
		await REPLACED[how]!(question);
		expect(await urlsOn()).toEqual([]);
	});

	it.each(Object.keys(REPLACED))('beside a choice: %s', async (how) => {
		const question = await asked({ choices: ONE });
		expect(buttonsOf(await card())).toHaveLength(2);
		await REPLACED[how]!(question);
		expect(buttonsOf(await card())).toEqual([]);
	});
});

describe('a button that another key adds to the card of a question answers it', () => {
	it.each<[string, object]>([
		[
			'in the place of its link',
			{ action: { ...LINK, type: 'open_url', url: 'https://other.example' } },
		],
		['beside its link', { secondary_action: { ...WEBHOOK, title: LINK.title } }],
		['as a link to the answer itself', { action: { ...WEBHOOK, url: 'https://x.example/answer' } }],
	])('%s', async (_how, sent) => {
		const { path, id } = await asked({ choices: ONE });
		await team.server.call('PUT', path, { content_state: {}, ...sent }, byOps());
		const { activity_id, ...shown } = await card();
		for (const action of ['action', 'secondary_action'].filter((name) => shown[name]))
			await team.ada.call('POST', '/taps', { tap_id: randomUUID(), activity_id, action });
		const state = await call('GET', `/questions/${id}`);
		expect(state).toMatchObject({ status: 'open' });
		expect(state).not.toHaveProperty('answer');
		// Its choices are left in the app alone.
		expect(JSON.stringify(shown)).not.toContain(ONE[0]!.title);
	});
});

describe('a form says more than was filled in', () => {
	const answered = async (id: string, fields: object, key?: string) =>
		team.server.call(
			'POST',
			`/questions/${id}/answer`,
			{ fields },
			key === undefined ? {} : { key },
		);

	it('by a key of its channel, or one that asked another', async () => {
		const { id } = await asked();
		const { question_id: own } = await call(
			'POST',
			'/questions',
			{ title: 'Q', link: LINK },
			byOps(),
		);
		expect((await answered(id, { signed: true }, team.ops)).status).toBe(404);
		expect((await answered(id, { signed: true }, team.sales)).status).toBe(404);
		expect((await answered(String(own), { signed: true })).status).toBe(403);
		expect((await call('GET', `/questions/${id}`))['status']).toBe('open');
	});

	it.each<[string, object]>([
		['a choice', { choice: 'no' }],
		['who answered', { by: { user: 'Ada', device: 'Phone of Ada' } }],
		['when', { at: '2020-01-01T00:00:00.000Z' }],
		['its status', { status: 'withdrawn' }],
	])('%s: it is only a field', async (_what, fields) => {
		const { id } = await asked({ choices: ONE });
		await done(answered(id, fields));
		const { answer, status } = await call('GET', `/questions/${id}`);
		expect({ status, answer }).toMatchObject({
			status: 'answered',
			answer: { by: 'form', fields },
		});
		expect(answer).not.toHaveProperty('choice');
		const { push } = (await team.ada.snapshot()).questions.at(0);
		expect(JSON.stringify(push.answer ?? '')).not.toContain('Ada');
	});

	it('after somebody has answered on a phone: that answer stays', async () => {
		const { id } = await asked({ choices: ONE });
		await done(answerOn(team.ada, id, { choice: 'no' }));
		expect((await answered(id, { signed: true })).status).toBe(409);
		expect((await call('GET', `/questions/${id}`))['answer']).toMatchObject({ choice: 'no' });
	});

	it('by a choice that the phone reports as the link, or the other way', async () => {
		const { id, activity_id } = await asked({ choices: ONE });
		const shown = await card();
		const at = shown.action.type === 'open_url' ? 'action' : 'secondary_action';
		const opened = await done(
			team.ada.call('POST', '/taps', { tap_id: randomUUID(), activity_id, action: at }),
		);
		expect(opened).toMatchObject({ outcome: 'open', url: LINK.url });
		expect((await call('GET', `/questions/${id}`))['status']).toBe('open');
	});
});

describe('who was not asked gets the form', () => {
	it('by the card of a stream that is given to them: its link is gone', async () => {
		const { path } = await asked();
		await call('PUT', path, { content_state: {}, channels: ['ops', 'sales'] });
		const shown = await card(team.bob);
		expect(JSON.stringify(shown?.content_state ?? {})).toContain('Contract 7');
		// The one who asked gives both to them.
		expect(shown.action?.url ?? LINK.url).toBe(LINK.url);
	});

	it('as another key gives the stream to them: neither words nor link', async () => {
		const { path } = await asked();
		const wide = await team.server.addKey(team.server.account.id, ['ops', 'sales']);
		const sent = { content_state: shows('Other').content_state, channels: ['ops', 'sales'] };
		await call('PUT', path, sent, { key: wide });
		expect(JSON.stringify(await team.bob.snapshot())).not.toContain('contract-7');
	});

	it('by tapping a card that is another’s, or after leaving', async () => {
		const { activity_id } = await asked();
		const tap = { tap_id: randomUUID(), activity_id, action: 'action' };
		expect((await team.bob.call('POST', '/taps', tap)).status).toBe(404);
		await team.setChannel('ops', []);
		const own = await team.ada.call('POST', '/taps', { ...tap, tap_id: randomUUID() });
		expect(JSON.stringify(own.body)).not.toContain(LINK.url);
	});

	it('by naming the phone of another in a limited key’s question', async () => {
		const sent = { title: 'Q', link: LINK, target: onPhone(team.bob), live_activity: {} };
		expect((await team.server.call('POST', '/questions', sent, byOps())).status).toBe(403);
	});
});

describe('a colleague who was not asked is handed the form', () => {
	const WHERE: Record<string, (of: Asked) => Promise<unknown>> = {
		'by the history': async ({ id }) => done(team.max.call('GET', `/history/${id}`)),
		'by the history of its card': ({ activity_id }) =>
			done(team.max.call('GET', `/history/${activity_id}`)),
	};

	it('by the console’s list of questions', async () => {
		const { id } = await asked();
		const { questions } = await done(team.max.call('GET', '/questions?status=open'));
		const [listed] = questions.filter(({ question_id: of }: any) => of === id);
		expect(listed).toMatchObject({ may_answer: false });
		expect(JSON.stringify(listed)).not.toContain(LINK.url);
	});

	// Low: the history shows every member what was sent, and a form cannot prove who has filled it in (docs/n8n.md says who may
	// answer). Fix: `historyEntry` (service/history/entry.ts) leaves out the links of open questions.
	it.failing.each(Object.keys(WHERE))('%s', async (where) => {
		const question = await asked();
		expect(JSON.stringify(await WHERE[where]!(question))).not.toContain(LINK.url);
	});

	it.each(['the choice', 'the text', 'the form itself'])(
		'and answers %s: refused',
		async (what) => {
			const { id } = await asked(what === 'the text' ? { text: {} } : { choices: ONE });
			const given = what === 'the text' ? { text: 'yes' } : { choice: 'no' };
			const path = `/questions/${id}/answer`;
			if (what === 'the form itself')
				expect((await team.max.call('POST', path, { fields: { signed: true } })).status).toBe(400);
			else expect((await done(team.max.call('POST', path, given)))['outcome']).toBe('refused');
			expect((await call('GET', `/questions/${id}`))['status']).toBe('open');
		},
	);

	it.each(['/device/snapshot', '/device/history', '/device/inbox'])('by %s', async (path) => {
		const link = { ...LINK, url: `https://forms.example.com/${path.length}` };
		await asked({ link });
		expect(await urlsOn()).toEqual([link.url]);
		const bobs = await team.bob.call('GET', path.replace('/device', ''));
		expect(bobs.status).toBe(200);
		expect(JSON.stringify(bobs.body)).not.toContain(link.url);
	});
});
