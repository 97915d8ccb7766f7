import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../../src/contract/console/audit.ts';
import { STATES } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';
import { routesOf } from './support/routes.ts';

const NEXT = 'nine purple lanterns drift';
const OLGA = 'Olga (olga@example.com)';
const MAX = 'Max (max@example.com)';

let server: TestServer;
let owner: Console;
beforeEach(async () => {
	server = await startTestServer();
	owner = await signedIn(server, { email: 'olga@example.com' });
});
afterEach(() => server.close());

const call = async (...request: Parameters<Console['call']>) => {
	const { status, body } = await owner.call(...request);
	expect(status).toBe(200);
	return body;
};
const pair = (code: string) => {
	const payload = { code, name: 'Tablet', platform: 'web' };
	return server.app.inject({ method: 'POST', url: '/device/pair', payload });
};
const max = () => signedIn(server, { invitedBy: owner, email: 'max@example.com' });
const person = (name: string) => call('POST', '/users', { name });
const phone = () => `/devices/${server.phone.id}`;
const personNamed = async (name: string) => {
	const { people } = (await call('GET', '/users')) as any;
	return people.find((person: { name: string }) => person.name === name).id;
};
const invitation = { role: 'member', email: 'eve@example.com' };
const put = (key: string) =>
	server.call('PUT', `/live-activity/stream/${key}`, { content_state: STATES.progress });

interface Case {
	/** Prepares what `act` needs, and returns it. */
	given?: () => Promise<any>;
	act: (given: any) => Promise<unknown>;
	entry: Partial<AuditEntry>;
}

/** Every route that changes who is reached or who may act, with the entry that it makes. Olga acts. */
const RECORDED: Record<string, Case | Case[]> = {
	'POST /console/api/join': {
		given: () => call('POST', '/invitations', invitation),
		act: ({ token }) =>
			callConsole(server, 'POST', '/join', {
				...{ token, name: 'Eve' },
				...{ email: 'eve@example.com', password: NEXT },
			}),
		entry: { event: 'member_joined', actor_name: 'Eve (eve@example.com)', subject: 'member' },
	},
	'POST /console/api/reset': {
		given: async () => call('POST', `/members/${(await max()).memberId}/reset-link`),
		act: ({ token }) => callConsole(server, 'POST', '/reset', { token, password: NEXT }),
		entry: { event: 'password_reset', actor_name: MAX, subject: 'max@example.com' },
	},
	'PUT /console/api/profile': {
		act: () => call('PUT', '/profile', { name: 'Olga M.' }),
		entry: { event: 'member_renamed', subject: 'Olga M.' },
	},
	'PUT /console/api/account': {
		act: () => call('PUT', '/account', { name: 'The bakery' }),
		entry: { event: 'account_renamed', subject: 'The bakery' },
	},
	'PUT /console/api/email': {
		act: () => call('PUT', '/email', { current_password: PASSWORD, email: 'o@example.com' }),
		entry: { event: 'email_changed', subject: 'o@example.com' },
	},
	'PUT /console/api/password': {
		act: () => call('PUT', '/password', { current_password: PASSWORD, password: NEXT }),
		entry: { event: 'password_changed', subject: null },
	},
	'POST /console/api/questions/:question_id/callback': {
		given: async () => {
			const callback = { url: 'https://n8n.invalid/resume' };
			const asked = { title: 'Deploy?', choices: [{ id: 'yes', title: 'Yes' }], callback };
			const { question_id: id } = (await server.call('POST', '/questions', asked)).body;
			await call('POST', `/questions/${id}/answer`, { choice: 'yes' });
			return id;
		},
		act: (id) => call('POST', `/questions/${id}/callback`),
		entry: {
			event: 'callback_repeated',
			subject: expect.stringMatching(/^his_\w+ \(test\)$/) as any,
		},
	},
	'DELETE /console/api/questions/:question_id': {
		given: async () => {
			const asked = { title: 'Deploy?', choices: [{ id: 'yes', title: 'Yes' }] };
			return (await server.call('POST', '/questions', asked)).body.question_id;
		},
		act: (id) => call('DELETE', `/questions/${id}`),
		entry: {
			event: 'question_withdrawn',
			subject: expect.stringMatching(/^his_\w+ \(test\)$/) as any,
		},
	},
	'DELETE /console/api/sessions': {
		act: () => call('DELETE', '/sessions'),
		entry: { event: 'sessions_ended', subject: '0' },
	},
	'DELETE /console/api/sessions/:id': {
		given: async () => {
			server.clock.advance(60);
			await callConsole(server, 'POST', '/login', {
				...{ email: 'olga@example.com', password: PASSWORD },
			});
			return call('GET', '/sessions');
		},
		act: ([newest]) => call('DELETE', `/sessions/${newest.id}`),
		entry: { event: 'sessions_ended', subject: '1' },
	},
	'POST /console/api/devices/pair-code': {
		given: () => person('Max'),
		act: () => call('POST', '/devices/pair-code', { user: 'Max' }),
		entry: { event: 'pair_code_created', subject: 'Max' },
	},
	'PUT /console/api/devices/:id': {
		act: () => call('PUT', phone(), { name: 'Tablet' }),
		entry: { event: 'phone_renamed', subject: 'Phone → Tablet' },
	},
	'DELETE /console/api/devices/:id': {
		act: () => call('DELETE', phone()),
		entry: { event: 'phone_disconnected', subject: 'Phone' },
	},
	'POST /console/api/devices/:id/remove': {
		given: () => call('DELETE', phone()),
		act: () => call('POST', `${phone()}/remove`),
		entry: { event: 'phone_removed', subject: 'Phone' },
	},
	'POST /console/api/devices/:id/test': {
		act: () => call('POST', `${phone()}/test`),
		entry: { event: 'test_push_sent', subject: 'Phone' },
	},
	'POST /console/api/users': {
		act: () => person('Anna'),
		entry: { event: 'person_added', subject: 'Anna' },
	},
	'PUT /console/api/users/:id': {
		given: () => personNamed('Olga'),
		act: (id) => call('PUT', `/users/${id}`, { name: 'O.' }),
		entry: { event: 'person_renamed', subject: 'Olga → O.' },
	},
	'POST /console/api/users/:id/merge': {
		given: async () => {
			await person('Anna');
			return { id: await personNamed('Anna'), into: await personNamed('Olga') };
		},
		act: ({ id, into }) => call('POST', `/users/${id}/merge`, { into }),
		entry: { event: 'person_merged', subject: 'Anna → Olga' },
	},
	'DELETE /console/api/users/:id': {
		given: async () => {
			await person('Anna');
			return personNamed('Anna');
		},
		act: (id) => call('DELETE', `/users/${id}`),
		entry: { event: 'person_removed', subject: 'Anna' },
	},
	'POST /console/api/channels': {
		act: () => call('POST', '/channels', { slug: 'ops', name: 'Operations' }),
		entry: { event: 'channel_created', subject: 'ops' },
	},
	'PUT /console/api/channels/:slug': [
		{
			given: async () => {
				await person('Max');
				await server.addChannel('ops', { users: ['Olga'], devices: [server.phone.id] });
			},
			act: () => call('PUT', '/channels/ops', { users: ['Max'], devices: [] }),
			entry: { event: 'channel_changed', subject: 'ops: added Max, removed Olga, removed Phone' },
		},
		{
			given: () => server.addChannel('ops', { users: ['Olga'] }),
			act: () => call('PUT', '/channels/ops', { name: 'Operations', users: ['Olga'] }),
			entry: { event: 'channel_changed', subject: 'ops: renamed to Operations' },
		},
	],
	'DELETE /console/api/channels/:slug': {
		given: () => server.addChannel('ops'),
		act: () => call('DELETE', '/channels/ops'),
		entry: { event: 'channel_deleted', subject: 'ops' },
	},
	'POST /console/api/keys': {
		act: () => call('POST', '/keys', { name: 'Workflow' }),
		entry: { event: 'key_created', subject: expect.stringMatching(/^Workflow \(bk_…/) as any },
	},
	'DELETE /console/api/keys/:id': {
		given: () => call('POST', '/keys', { name: 'Workflow' }),
		act: ({ id }) => call('DELETE', `/keys/${id}`),
		entry: { event: 'key_revoked', subject: expect.stringMatching(/^Workflow \(bk_…/) as any },
	},
	'POST /console/api/metrics': {
		act: () => call('POST', '/metrics', { key: 'load', name: 'Load', format: 'number' }),
		entry: { event: 'metric_created', subject: 'load' },
	},
	'PUT /console/api/metrics/:key': {
		given: () => server.addMetric({ key: 'load' }),
		act: () => call('PUT', '/metrics/load', { name: 'Load', format: 'number' }),
		entry: { event: 'metric_changed', subject: 'load' },
	},
	'DELETE /console/api/metrics/:key': {
		given: () => server.addMetric({ key: 'load' }),
		act: () => call('DELETE', '/metrics/load'),
		entry: { event: 'metric_deleted', subject: 'load' },
	},
	'POST /console/api/streams/:stream_key/pause': {
		given: () => put('deploy'),
		act: () => call('POST', '/streams/deploy/pause'),
		entry: { event: 'stream_paused', subject: 'deploy' },
	},
	'POST /console/api/streams/:stream_key/resume': {
		given: async () => {
			await put('deploy');
			await call('POST', '/streams/deploy/pause');
		},
		act: () => call('POST', '/streams/deploy/resume'),
		entry: { event: 'stream_resumed', subject: 'deploy' },
	},
	'DELETE /console/api/streams/:stream_key': {
		given: () => put('deploy'),
		act: () => call('DELETE', '/streams/deploy'),
		entry: { event: 'stream_ended', subject: 'deploy' },
	},
	'POST /console/api/activities/:id/end': {
		given: async () =>
			(await server.call('POST', '/live-activity/start', { content_state: STATES.progress })).body[
				'activity_id'
			],
		act: (id) => call('POST', `/activities/${id}/end`),
		entry: { event: 'activity_ended', subject: expect.stringMatching(/^[\w-]{32}$/) as any },
	},
	'POST /console/api/invitations': {
		act: () => call('POST', '/invitations', invitation),
		entry: { event: 'member_invited', subject: 'eve@example.com: member' },
	},
	'DELETE /console/api/invitations/:id': [
		{
			given: async () => {
				await call('POST', '/invitations', invitation);
				return (await call('GET', '/members'))['invitations'][0].id;
			},
			act: (id) => call('DELETE', `/invitations/${id}`),
			entry: { event: 'invitation_withdrawn', subject: 'eve@example.com: member' },
		},
		{
			given: async () => {
				await call('POST', `/members/${(await max()).memberId}/reset-link`);
				return (await call('GET', '/members'))['reset_links'][0].id;
			},
			act: (id) => call('DELETE', `/invitations/${id}`),
			entry: { event: 'password_reset_link_withdrawn', subject: MAX },
		},
	],
	'PUT /console/api/members/:id': {
		given: max,
		act: ({ memberId }) => call('PUT', `/members/${memberId}`, { role: 'owner' }),
		entry: { event: 'role_changed', subject: `${MAX}: owner` },
	},
	'DELETE /console/api/members/:id': {
		given: max,
		act: ({ memberId }) => call('DELETE', `/members/${memberId}`),
		entry: { event: 'member_removed', subject: MAX },
	},
	'POST /console/api/members/:id/reset-link': {
		given: max,
		act: ({ memberId }) => call('POST', `/members/${memberId}/reset-link`),
		entry: { event: 'password_reset_link_created', subject: MAX },
	},
	'POST /console/api/playground/send': {
		act: () => call('POST', '/playground/send', { request: 'badge', body: { badge: 1 } }),
		entry: { event: 'sent', subject: 'badge' },
	},
	'POST /console/api/history/:id/send': {
		given: async () => {
			await server.call('POST', '/push-notification', { title: 'Hello' });
			return call('GET', '/history');
		},
		act: ({ entries: [push] }) => call('POST', `/history/${push.id}/send`),
		entry: { event: 'sent', subject: 'push' },
	},
	'POST /device/pair': [
		{
			given: async () => {
				await person('Max');
				return call('POST', '/devices/pair-code', { user: 'Max' });
			},
			act: ({ code }) => pair(code),
			entry: { event: 'phone_paired', subject: 'Tablet (Max)' },
		},
		{
			given: () => person('Max'),
			act: () => server.pairPhone({ user: 'Max', name: 'Tablet' }),
			entry: {
				...{ event: 'phone_paired', subject: 'Tablet (Max)' },
				...{ actor: 'command_line', actor_name: null },
			},
		},
	],
	'DELETE /device': {
		act: () => server.phone.call('DELETE', '/'),
		entry: {
			...{ event: 'phone_disconnected', subject: 'Phone' },
			...{ actor: 'phone', actor_name: 'Phone (Olga)' },
		},
	},
};

/** Routes that change something else. */
const NOT_RECORDED = [
	// Who comes in and goes has not changed; failed sign-ins have entries of their own.
	'POST /console/api/login',
	'POST /console/api/logout',
	// These read, or store what reaches nobody by itself.
	'POST /console/api/link',
	'POST /console/api/playground/preview',
	'POST /console/api/playground/image',
	// Who answered is part of the question.
	'POST /console/api/questions/:question_id/answer',
	'POST /device/questions/:question_id/answer',
	// What people do with their own messages, and how loudly their own phones report them.
	'PUT /device/channels/:slug',
	'PUT /device/quiet',
	'PUT /device/quiet/mute',
	'PUT /device/preferences',
	'DELETE /device/badge',
	'POST /device/acknowledge',
	'POST /device/taps',
	'POST /device/dismissals',
	'POST /device/snoozes',
	'POST /device/notifications/clear',
	'POST /device/notifications/restore',
	// Addresses of the same phone.
	'PUT /device/tokens',
	'PUT /device/activities/:activity_id/token',
];

const entries = async () =>
	(await owner.call('GET', '/audit?limit=200')).body['entries'] as AuditEntry[];

it('every route that changes something is recorded, or listed here as one that is not', () => {
	const changing = routesOf(server.app)
		.filter((route) => /^(POST|PUT|DELETE|PATCH) \/(console\/api|device)(\/|$)/.test(route))
		.map((route) => route.replace(/\/$/, ''));
	expect([...new Set(changing)].sort()).toEqual([...Object.keys(RECORDED), ...NOT_RECORDED].sort());
});

describe('the audit log gets exactly one entry, by whom and of what, from', () => {
	const cases = Object.entries(RECORDED).flatMap(([route, some]) =>
		[some].flat().map((one) => [route, one] as const),
	);
	it.each(cases)('%s', async (_route, { given, act, entry }) => {
		const prepared = await given?.();
		const before = await entries();
		await act(prepared);
		const known = new Set(before.map(({ id }) => id));
		const added = (await entries()).filter(({ id }) => !known.has(id));
		// A code made by a command for this test has its own entry.
		expect(added.filter(({ event }) => event === entry.event)).toMatchObject([
			{ actor: 'member', actor_name: OLGA, at: server.timestamp(), ...entry },
		]);
		const others = added.filter(({ event }) => event !== entry.event);
		expect(others.map(({ event }) => event)).toEqual(
			entry.actor === 'command_line' ? ['pair_code_created'] : [],
		);
	});
});

describe('the audit log gets no entry', () => {
	it('from a channel that is saved unchanged', async () => {
		await server.addChannel('ops', { users: ['Olga'], devices: [server.phone.id] });
		const before = await entries();
		const same = { name: 'ops', users: ['Olga'], devices: [server.phone.id] };
		await call('PUT', '/channels/ops', same);
		expect(await entries()).toEqual(before);
	});

	it('that holds a pairing code, a link or a token of a phone', async () => {
		const { code } = await call('POST', '/devices/pair-code', { user: 'Olga' });
		const { token } = (await pair(code)).json();
		const { token: link } = await call('POST', `/members/${owner.memberId}/reset-link`);
		for (const secret of [code, token, link])
			expect(JSON.stringify(await entries())).not.toContain(secret);
	});

	it('that is longer than a page can bear, however many are added to a channel', async () => {
		await server.addChannel('ops');
		const names = Array.from({ length: 60 }, (_, at) => `${'Long name '.repeat(5)}${at}`);
		for (const name of names) await person(name);
		await call('PUT', '/channels/ops', { users: names });
		const [{ subject } = { subject: null }] = await entries();
		expect(subject).toMatch(/^ops: added Long name .+…$/);
		expect(subject).toHaveLength(1_000);
	});
});
