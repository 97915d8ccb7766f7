import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { callConsole } from '../console/support/console.ts';
import { send } from '../senders/support/send.ts';
import { endActivities, type TestPhone } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import {
	answerOn,
	ASKED,
	cardsOn,
	done,
	shows,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/**
 * Attempts of an agent by letters that only a model reads, in every place that a person sees; of a limited key by requests
 * that are repeated when other things have come; of a member by other spellings of what is for owners; and of a phone by
 * odd times. Ada alone is in `ops`, Bob in `sales`.
 */

let team: Team;
let agent: string;
beforeAll(async () => {
	team = await startTeam();
	agent = await team.server.addSenderKey(['ops']);
});
afterEach(async () => {
	await team.setChannel('ops', ['Ada']);
	await withdrawOpen(team.server, team.ada);
	for (const phone of [team.ada, team.bob]) await endActivities({ ...team.server, phone });
	team.server.clock.advance(60);
});
afterAll(() => team.server.close());

const call = (...args: Parameters<Team['server']['call']>) => done(team.server.call(...args));
const toOps = { target: { channels: ['ops'] } };
const hook = (body: object) =>
	send(team.server, '/agent-hook', { key: agent, body: { session_id: randomUUID(), ...body } });
const permission = (tool_name: string, tool_input: object, more: object = {}) =>
	hook({ hook_event_name: 'PermissionRequest', tool_name, tool_input, ...more });
const onlyOpen = () =>
	waitFor('the question', async () => {
		const shown = (await team.ada.snapshot()).questions.map(({ push }: any) => push);
		const [one] = shown.filter(({ question }: any) => question.status === 'open');
		return team.server.context.questionWaits.size > 0 ? one : undefined;
	});
const titlesOn = async (phone: TestPhone): Promise<string[]> =>
	(await phone.snapshot()).notifications.map(({ push }: any) => push.title);

describe('an agent hides orders, or an end, in letters that nobody sees', () => {
	/** "rm" in the letters of tags, selectors of variants, the mark of a language, a filler, and a separator. */
	const HIDDEN = '\u{E0072}\u{E006D}\u{E0100}\u{E0001}\uFFA0\u2063\u180E\u061C';
	const RAW = new RegExp(`[${HIDDEN}]`, 'u');
	const option = (more: object) => ({ label: 'Yes', ...more });
	const asks = (question: object, ...options: object[]) =>
		permission('AskUserQuestion', {
			questions: [{ question: 'Which?', header: 'Pick', options, ...question }],
		});
	const text = `a${HIDDEN}b`;

	const PLACES: Record<string, () => ReturnType<typeof hook>> = {
		'the words of its question': () => asks({ question: text }, option({}), { label: 'No' }),
		'the header of its question': () => asks({ header: text }, option({}), { label: 'No' }),
		'the label of an option': () => asks({}, option({}), { label: text }),
		'what describes an option': () => asks({}, option({ description: text }), { label: 'No' }),
		'the preview of an option': () => asks({}, option({ preview: text }), { label: 'No' }),
		'the name of its tool': () => permission(`mcp__${text}`, { a: 1 }),
		'the name of a field': () => permission('Edit', { [text]: 'x' }),
		'a name within a field': () => permission('Edit', { a: [{ [text]: 1 }] }),
		'a plan': () => permission('ExitPlanMode', { plan: `1. ${text}\n2. ${text}` }),
		'its folder': () => permission('Bash', { command: 'ls' }, { cwd: `/home/${text}` }),
		'a rule for the session': () => {
			const rules = [{ toolName: 'Bash', ruleContent: text }];
			const rule = { type: 'addRules', behavior: 'allow', rules, destination: 'session' };
			return permission('Bash', { command: 'ls' }, { permission_suggestions: [rule] });
		},
	};
	it.each(Object.keys(PLACES))('in %s', async (place) => {
		const response = PLACES[place]!();
		const { title, subtitle = '', message, question } = await onlyOpen();
		const { choices, text: typed } = question;
		const shown = [title, subtitle, message, ...choices.map((one: any) => one.title), typed];
		expect(JSON.stringify(shown)).not.toMatch(RAW);
		expect(JSON.stringify(shown)).toContain('⟨U+E0072⟩');
		await withdrawOpen(team.server, team.ada);
		expect((await response).body).toEqual({});
	});

	it('in the name of a file whose text is too long to be asked about', async () => {
		const input = { file_path: `/${text}`, content: 'word '.repeat(4_000) };
		expect((await permission('Write', input)).body).toEqual({});
		const [newest] = (await team.ada.snapshot()).notifications;
		expect(newest.push).not.toHaveProperty('question');
		expect([newest.push.title, newest.push.message].join('\n')).not.toMatch(RAW);
	});

	it.each<[string, string]>([
		['no name', ''],
		['the name of a method', 'toString'],
		['the name of what makes an object', 'constructor'],
		['a number as its name', '0'],
		['the name of a length', 'length'],
		['a name like the command’s, in a capital', 'Command'],
		['a name like the command’s, with a blank', 'command '],
		['the name of the rule for a session', 'For this session'],
	])('in a field with %s: it is shown beside the others', async (_what, name) => {
		const response = permission('Bash', { command: 'ls', [name]: 'rm -rf ~', path: '/tmp' });
		const { message } = await onlyOpen();
		const lines = message.split('\n');
		expect(lines).toHaveLength(3);
		expect(lines[0]).toBe('command: ls');
		expect(lines.filter((line: string) => line.endsWith(': rm -rf ~'))).toHaveLength(1);
		if (!/^[\w.-]+$/.test(name)) expect(message).toContain(`${JSON.stringify(name)}: rm -rf ~`);
		await withdrawOpen(team.server, team.ada);
		await response;
	});
});

describe('a limited key repeats a request when other things have come', () => {
	const again = (headers: Record<string, string>) => ({ key: team.ops, headers });
	const numbered = () => ({ 'idempotency-key': randomUUID() });

	it('a push of a sequence that a later one has replaced: it stays the later one', async () => {
		const sequence = { 'x-sequence-id': 'build' };
		const first = numbered();
		await call('POST', '/push-notification', { title: 'First' }, again({ ...sequence, ...first }));
		await call(
			'POST',
			'/push-notification',
			{ title: 'Second' },
			again({ ...sequence, ...numbered() }),
		);
		await call('POST', '/push-notification', { title: 'First' }, again({ ...sequence, ...first }));
		const titles = await titlesOn(team.ada);
		expect(titles).toContain('Second');
		expect(titles).not.toContain('First');
	});

	it('a repeated push that was stopped: it does not begin again', async () => {
		const body = { push: { title: 'Again' }, repeat: { every_minutes: 1, times: 5 } };
		const options = again(numbered());
		const { repeat_id: id } = await call('POST', '/push-notification/repeated', body, options);
		await call('DELETE', `/push-notification/repeated/${id}`, undefined, { key: team.ops });
		const { repeat_id: same } = await call('POST', '/push-notification/repeated', body, options);
		const { read } = team.server.context.database;
		const rows = await read
			.selectFrom('repeats')
			.selectAll()
			.where('ended_at', 'is', null)
			.execute();
		expect([same, rows]).toEqual([id, []]);
	});

	it('a question that was withdrawn, or answered: nobody is asked again', async () => {
		for (const end of ['withdrawn', 'answered']) {
			const options = again(numbered());
			const { question_id: id } = await call('POST', '/questions', ASKED, options);
			if (end === 'answered') await done(answerOn(team.ada, id));
			else await call('DELETE', `/questions/${id}`, undefined, { key: team.ops });
			const { length } = await team.ada.inbox();
			expect((await call('POST', '/questions', ASKED, options))['question_id']).toBe(id);
			expect(await team.ada.inbox()).toHaveLength(length);
			const { status } = await call('GET', `/questions/${id}`, undefined, { key: team.ops });
			expect(status).toBe(end);
		}
	});

	it('a push, after its channel has got others: they get none of it', async () => {
		const options = again(numbered());
		await call('POST', '/push-notification', { title: 'For Ada' }, options);
		await team.setChannel('ops', ['Ada', 'Bob']);
		await call('POST', '/push-notification', { title: 'For Ada' }, options);
		expect(JSON.stringify(await team.bob.inbox())).not.toContain('For Ada');
	});

	it('a push that its clearing has taken off: it stays off', async () => {
		const options = again({ ...numbered(), 'x-sequence-id': 'gone' });
		await call('POST', '/push-notification', { title: 'Gone', ...toOps }, options);
		await send(team.server, '/ntfy/ops/gone/clear', { method: 'PUT', key: agent });
		expect(await titlesOn(team.ada)).not.toContain('Gone');
		await call('POST', '/push-notification', { title: 'Gone', ...toOps }, options);
		expect(await titlesOn(team.ada)).not.toContain('Gone');
	});

	it.each<[string, object]>([
		['to another channel', { target: { channels: ['sales'] } }],
		['to both', { target: { channels: ['ops', 'sales'] } }],
		['to all', {}],
	])('by clearing the sequence of what went %s', async (_to, target) => {
		const headers = { 'x-sequence-id': 'shared' };
		await call('POST', '/push-notification', { title: 'Theirs', ...target }, { headers });
		for (const topic of ['ops', 'sales'])
			for (const [method, end] of [
				['PUT', '/clear'],
				['PUT', '/read'],
				['DELETE', ''],
			] as const)
				await send(team.server, `/ntfy/${topic}/shared${end}`, { method, key: agent });
		expect(await titlesOn(team.bob)).toContain('Theirs');
	});

	it('whose question is on a card, after its people have changed: the new ones see no end of it', async () => {
		const live_activity = { stream_key: 'handed', keep: true };
		const { question_id: id } = await call(
			...([
				'POST',
				'/questions',
				{ ...ASKED, ...toOps, live_activity },
				{ key: team.ops },
			] as const),
		);
		await team.setChannel('ops', ['Ada', 'Bob']);
		const { length } = await team.bob.inbox();
		expect(await done(answerOn(team.ada, id))).toMatchObject({ outcome: 'answered' });
		expect([await cardsOn(team.bob), (await team.bob.inbox()).length]).toEqual([[], length]);
		await call('PUT', '/live-activity/stream/handed', shows('Next'), { key: team.ops });
		expect(await cardsOn(team.ada)).toContain('Next');
		expect(JSON.stringify(await team.bob.snapshot())).not.toMatch(/Approve|Deploy/);
	});
});

describe('a member spells what is for owners in another way', () => {
	const { parse } = JSON;
	it.each<[string, string]>([
		['with a slash at its end', '/keys/'],
		['with two slashes', '//keys'],
		['with an escape', '/%6beys'],
		['with dots', '/history/../keys'],
		['with escaped dots', '/history/%2e%2e/keys'],
		['in capitals', '/KEYS'],
		['with a parameter of its path', '/keys;a=b'],
		['with a question', '/keys?role=owner'],
	])('%s', async (_how, path) => {
		const before = parse(JSON.stringify((await team.olga.call('GET', '/keys')).body)).length;
		const { status, body } = await team.max.call('POST', path, { name: 'Mine', channels: null });
		expect([status >= 400, JSON.stringify(body)]).toEqual([true, expect.not.stringMatching(/bk_/)]);
		expect(parse(JSON.stringify((await team.olga.call('GET', '/keys')).body))).toHaveLength(before);
	});

	it.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
		'by a method in the header %s',
		async (header) => {
			const { cookie, csrf } = team.max;
			const id = await team.idOf('Bob');
			for (const method of ['POST', 'GET'] as const)
				await callConsole(team.server, method, `/users/${id}/phones`, undefined, {
					...{ cookie, csrf, [header]: 'DELETE' },
				});
			expect(await team.idOf('Bob')).toBe(id);
		},
	);
});

describe('a phone takes back what it has not put aside', () => {
	it.each(['0', '1', '999999999999999', '000000000000000'])('by the time %s', async (undo) => {
		await call('POST', '/push-notification', { title: 'Read', ...toOps });
		const { id } = (await team.ada.inbox()).at(-1);
		await done(team.ada.call('POST', '/dismissals', { delivery_id: id }));
		for (const phone of [team.ada, team.bob])
			expect(await done(phone.call('POST', '/notifications/restore', { undo }))).toEqual({
				restored: 0,
			});
		expect(await titlesOn(team.ada)).not.toContain('Read');
	});

	it.each(['', ' ', 'NaN', '-1', '1e3', '0x1', '1.5', '١', 'null', '9'.repeat(16)])(
		'by a time that is none: %j',
		async (undo) => {
			expect((await team.ada.call('POST', '/notifications/restore', { undo })).status).toBe(400);
		},
	);
});
