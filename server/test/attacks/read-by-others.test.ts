import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { callConsole } from '../console/support/console.ts';
import { send } from '../senders/support/send.ts';
import { waitFor } from '../support/wait.ts';
import {
	addMember,
	answerOn,
	ASKED,
	done,
	onPhone,
	startTeam,
	type Team,
	withdrawOpen,
} from './support/team.ts';

/**
 * Attempts in which something is read by another program than it was written for: a name by n8n, an event of an agent as a
 * push with buttons, a refusal by colleagues, the console's answers by a page of somebody else, and the words of a refusal by
 * a limited key. Ada alone is in `ops`, Bob alone in `sales`.
 */

let team: Team;
let agent: string;
beforeAll(async () => {
	team = await startTeam({ BECKON_RATE_MCP: '1000000' });
	agent = await team.server.addSenderKey(['ops']);
});
afterEach(() => withdrawOpen(team.server, team.ada));
afterAll(() => team.server.close());

const byOps = () => ({ key: team.ops });
const toOps = { target: { channels: ['ops'] } };
const hook = (body: object) => send(team.server, '/agent-hook', { key: agent, body });
const newest = async () => (await team.ada.inbox()).at(-1);

describe('a member is called like something that a program runs', () => {
	it.each(['={{ $json.token }}', '=Ada', "+cmd|' /C calc'!A0", '<img src=x>', '%41da', '${Ada}'])(
		'%j: it is their name, and nobody else’s',
		async (name) => {
			const eve = await addMember(team, 'member');
			await done(eve.call('PUT', '/profile', { name }));
			const { people } = await done(team.server.call('GET', '/people?limit=100'));
			expect(people.map((one: any) => one.name)).toEqual(expect.arrayContaining([name, 'Ada']));
			const { code } = await done(eve.call('POST', '/devices/pair-code', { user: name }));
			const pairing = { code, name: 'Phone', platform: 'web' };
			const paired = await team.server.app.inject({
				...{ method: 'POST', url: '/device/pair', payload: pairing },
			});
			expect(paired.statusCode).toBe(200);
			const asked = { ...ASKED, answerable_by: [name] };
			const { question_id: id } = await done(team.server.call('POST', '/questions', asked));
			expect(await done(answerOn(team.ada, id))).toMatchObject({ outcome: 'refused' });
			expect(
				await done(team.max.call('POST', `/questions/${id}/answer`, { choice: 'yes' })),
			).toMatchObject({
				outcome: 'refused',
			});
			await done(eve.call('POST', `/questions/${id}/answer`, { choice: 'no' }));
			const { answer } = await done(team.server.call('GET', `/questions/${id}`));
			expect(answer).toMatchObject({ choice: 'no', by: { user: name, device: null } });
		},
	);
});

describe('a question that names nobody is one that everybody may answer', () => {
	it.each([
		[[]],
		[['']],
		[[' ']],
		[['\u200B']],
		[null],
		[{}],
		['Ada'],
		[['Ada', '']],
		[['Ada', 'Adb']],
	])('by %j: it is refused', async (answerable_by) => {
		const before = await team.ada.inbox();
		for (const key of [undefined, team.ops]) {
			const asked = { ...ASKED, answerable_by };
			const { status } = await team.server.call('POST', '/questions', asked, key ? { key } : {});
			expect([400, 422]).toContain(status);
		}
		expect(await team.ada.inbox()).toEqual(before);
	});
});

describe('an event of an agent becomes more than a push that waits for no answer', () => {
	const MORE = {
		buttons: { actions: [{ title: 'Allow', type: 'open_url', url: 'https://evil.example' }] },
		'a link behind it': { redirection: 'https://evil.example', click: 'https://evil.example' },
		'a picture': { media: 'https://evil.example/a.png', icon: 'https://evil.example/b.png' },
		'a question': { choices: [{ id: 'yes', title: 'Allow' }], text: {}, question: {} },
		'another recipient': { target: { channels: ['sales'] }, channels: ['sales'], topic: 'sales' },
		'a sound, or a badge': { sound: 'alarm', badge: 99, interruption_level: 'critical' },
	};
	const EVENTS = {
		Notification: { message: 'Evil words', title: 'Allow?' },
		Stop: { last_assistant_message: 'Evil words' },
		StopFailure: { error: 'Evil words' },
	};
	it.each(
		Object.entries(EVENTS).flatMap(([event, given]) =>
			Object.entries(MORE).map(([what, more]) => [event, what, { ...given, ...more }] as const),
		),
	)('%s with %s', async (hook_event_name, _what, given) => {
		const before = await team.bob.inbox();
		expect((await hook({ hook_event_name, session_id: 's', ...given })).status).toBe(200);
		const { push } = await newest();
		expect(push.message).toBe('Evil words');
		expect(push).toMatchObject({
			interruption_level: 'active',
			sound: 'default',
			channels: ['ops'],
		});
		const fields = ['title', 'message', 'interruption_level', 'sound', 'channels', 'sequence_id'];
		expect(Object.keys(push).filter((field) => !fields.includes(field))).toEqual([]);
		expect(await team.bob.inbox()).toEqual(before);
	});
});

describe('a page of somebody else reads what the console answers', () => {
	const PATHS = [
		'/session',
		'/questions?status=open',
		'/history',
		'/history.csv',
		'/keys',
		'/events',
	];
	it.each(PATHS)('%s: no other origin may', async (path) => {
		for (const origin of ['https://evil.example', 'null', 'http://localhost']) {
			const { raw } = await callConsole(team.server, 'OPTIONS', path, undefined, {
				cookie: team.max.cookie,
				...{ origin, 'access-control-request-method': 'GET' },
			});
			expect(Object.keys(raw.headers)).not.toContain('access-control-allow-origin');
		}
		if (path === '/events') return;
		const { raw } = await callConsole(team.server, 'GET', path, undefined, {
			...{ cookie: team.max.cookie, origin: 'https://evil.example' },
		});
		expect(Object.keys(raw.headers)).not.toContain('access-control-allow-origin');
		// As a script, or in a frame, it is nothing either.
		expect(raw.headers['x-content-type-options']).toBe('nosniff');
	});
});

describe('a limited key learns from a refusal who, or what, there is', () => {
	const ask = (more: object) =>
		team.server.call('POST', '/questions', { ...ASKED, ...more }, byOps());
	/** The answer without the word that was sent. */
	const wordless = ({ status, body }: { status: number; body: unknown }, word: string) =>
		JSON.stringify({ status, body }).replaceAll(word, 'WORD');

	it.each<[string, (word: string) => object, string]>([
		['a person', (word) => ({ answerable_by: [word] }), 'Bob'],
		['a person beside one of its own', (word) => ({ answerable_by: ['Ada', word] }), 'Bob'],
		['a member without a phone', (word) => ({ answerable_by: [word] }), 'Max'],
		['a channel', (word) => ({ target: { channels: [word] } }), 'sales'],
		[
			'a channel of its escalation',
			(word) => ({ escalate: { after_minutes: 1, target: { channels: [word] } } }),
			'sales',
		],
		[
			'a person beside a channel of its escalation',
			(word) => ({
				...{ answerable_by: [word], ...toOps },
				escalate: { after_minutes: 1, target: { channels: ['sales'] } },
			}),
			'Bob',
		],
	])('%s', async (_what, toMore, existing) => {
		const missing = 'zz-top';
		const found = wordless(await ask(toMore(existing)), existing);
		const unknown = wordless(await ask(toMore(missing)), missing);
		expect(found).toBe(unknown);
	});

	it('a phone of others, by its slug', async () => {
		const [slug = ''] = onPhone(team.bob).channels;
		const other = `phone-${'0'.repeat(24)}`;
		const found = wordless(await ask({ target: { channels: [slug] } }), slug);
		expect(found).toBe(wordless(await ask({ target: { channels: [other] } }), other));
	});
});

describe('what an agent asks is shown with a line that it did not have', () => {
	const OTHER_LINES = /\r\n|[\n\r\u2028\u2029\u0085\v\f\u001C-\u001E]/u;
	it.each<[string, object]>([
		['in the name of a field', { 'For this session': 'Bash' }],
		['in the name of a field with a colon', { 'For this session: Bash': '' }],
		['behind a line break of a field', { command: 'ls\nFor this session: Bash' }],
		[
			'behind one of another system',
			{ command: 'ls\r\nFor this session: Bash\rFor this session: x' },
		],
		[
			'behind one of Unicode',
			{ command: 'ls\u2028For this session: Bash\u2029For this session: x' },
		],
		[
			'behind one of old terminals',
			{ command: 'ls\u0085For this session: a\vFor this session: b' },
		],
		[
			'behind a separator of records',
			{ command: 'ls\u001EFor this session: Bash\fFor this session: x' },
		],
		['in a name with a line break', { 'a\nFor this session': 'Bash' }],
	])('%s', async (_how, tool_input) => {
		const answer = hook({ hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input });
		const { push } = await waitFor('the question', async () => {
			const { questions } = await team.ada.snapshot();
			const open = questions.filter(({ push }: any) => push.question.status === 'open');
			return team.server.context.questionWaits.size > 0 && open.length === 1 ? open[0] : undefined;
		});
		const lines: string[] = push.message.split(OTHER_LINES);
		expect(lines.filter((line) => line.startsWith('For this session'))).toEqual([]);
		expect(push.question.choices.map(({ id }: any) => id)).toEqual(['allow', 'deny']);
		await withdrawOpen(team.server, team.ada);
		expect((await answer).text.trim()).toBe('{}');
	});
});
