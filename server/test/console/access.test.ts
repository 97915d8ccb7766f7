import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Method, startTestServer, type TestServer } from '../support/server.ts';
import { STATES } from '../support/samples.ts';
import { waitFor } from '../support/wait.ts';
import { callConsole, type Console, PASSWORD, signedIn } from './support/console.ts';
import { routesOf } from './support/routes.ts';

/**
 * The callers allowed on a route: `anybody` with the right secret (a password, a link, a pairing code),
 * `member` every member of the account, `owner` only its owners, `phone` a paired phone by its token.
 */
type Access = 'anybody' | 'member' | 'owner' | 'phone';

interface Entry {
	access: Access;
	/** A body that an entitled caller could send. */
	body?: unknown;
	/** The path of an item of the first account, for routes that name one. */
	thing?: (ids: Things) => string;
}

interface Things {
	device: string;
	key: string;
	member: string;
	invitation: string;
	history: string;
	activity: string;
	person: string;
	question: string;
}

const invite = { role: 'member' };
const push = { request: 'push', body: { title: 'x' } };

/** Every route of the console and of the device protocol. New ones must be added here. */
const ROUTES: Record<string, Entry> = {
	'POST /console/api/login': { access: 'anybody' },
	'POST /console/api/link': { access: 'anybody' },
	'POST /console/api/join': { access: 'anybody' },
	'POST /console/api/reset': { access: 'anybody' },
	'GET /console/api/session': { access: 'member' },
	'POST /console/api/logout': { access: 'member' },
	'PUT /console/api/profile': { access: 'member', body: { name: 'Eve' } },
	'PUT /console/api/account': { access: 'owner', body: { name: 'Ours' } },
	'PUT /console/api/email': {
		access: 'member',
		body: { current_password: PASSWORD, email: 'eve@example.com' },
	},
	'PUT /console/api/password': {
		access: 'member',
		body: { current_password: PASSWORD, password: 'another long password of mine' },
	},
	'GET /console/api/sessions': { access: 'member' },
	'DELETE /console/api/sessions/:id': {
		access: 'member',
		thing: () => '/sessions/0123456789abcdef',
	},
	'DELETE /console/api/sessions': { access: 'member' },
	'GET /console/api/events': { access: 'member' },
	'GET /console/api/devices': { access: 'member' },
	'POST /console/api/devices/pair-code': { access: 'member', body: { user: 'Olga' } },
	'PUT /console/api/devices/:id': {
		access: 'member',
		body: { name: 'Mine' },
		thing: ({ device }) => `/devices/${device}`,
	},
	'DELETE /console/api/devices/:id': {
		access: 'member',
		thing: ({ device }) => `/devices/${device}`,
	},
	'POST /console/api/devices/:id/test': {
		access: 'member',
		thing: ({ device }) => `/devices/${device}/test`,
	},
	'POST /console/api/devices/:id/remove': {
		access: 'member',
		thing: ({ device }) => `/devices/${device}/remove`,
	},
	'GET /console/api/users': { access: 'member' },
	'GET /console/api/user-names': { access: 'member' },
	'GET /console/api/users/:id/phones': {
		access: 'member',
		thing: ({ person }) => `/users/${person}/phones`,
	},
	'POST /console/api/users': { access: 'member', body: { name: 'Anna' } },
	'PUT /console/api/users/:id': {
		access: 'owner',
		body: { name: 'Eve' },
		thing: ({ person }) => `/users/${person}`,
	},
	'POST /console/api/users/:id/merge': {
		access: 'owner',
		body: { into: 'usr_other' },
		thing: ({ person }) => `/users/${person}/merge`,
	},
	'DELETE /console/api/users/:id': { access: 'owner', thing: ({ person }) => `/users/${person}` },
	'GET /console/api/channels': { access: 'member' },
	'GET /console/api/channel-names': { access: 'member' },
	'GET /console/api/channels/:slug': { access: 'member', thing: () => '/channels/ops' },
	'POST /console/api/channels': { access: 'member', body: { slug: 'new' } },
	'PUT /console/api/channels/:slug': {
		access: 'member',
		body: { name: 'Mine' },
		thing: () => '/channels/ops',
	},
	'DELETE /console/api/channels/:slug': { access: 'member', thing: () => '/channels/ops' },
	'GET /console/api/keys': { access: 'member' },
	'POST /console/api/keys': { access: 'owner', body: { name: 'Mine' } },
	'DELETE /console/api/keys/:id': { access: 'owner', thing: ({ key }) => `/keys/${key}` },
	'GET /console/api/metrics': { access: 'member' },
	'POST /console/api/metrics': {
		access: 'member',
		body: { key: 'a', name: 'A', format: 'number' },
	},
	'PUT /console/api/metrics/:key': {
		access: 'member',
		body: { name: 'Mine', format: 'number' },
		thing: () => '/metrics/load',
	},
	'DELETE /console/api/metrics/:key': { access: 'member', thing: () => '/metrics/load' },
	'GET /console/api/first-steps': { access: 'member' },
	'GET /console/api/live': { access: 'member' },
	'POST /console/api/streams/:stream_key/pause': {
		access: 'member',
		thing: () => '/streams/deploy/pause',
	},
	'POST /console/api/streams/:stream_key/resume': {
		access: 'member',
		thing: () => '/streams/waiting/resume',
	},
	'DELETE /console/api/streams/:stream_key': { access: 'member', thing: () => '/streams/deploy' },
	'POST /console/api/activities/:id/end': {
		access: 'member',
		thing: ({ activity }) => `/activities/${activity}/end`,
	},
	'GET /console/api/history': { access: 'member' },
	'GET /console/api/history/:id': {
		access: 'member',
		thing: ({ history }) => `/history/${history}`,
	},
	'POST /console/api/history/:id/send': {
		access: 'member',
		thing: ({ history }) => `/history/${history}/send`,
	},
	'GET /console/api/history.csv': { access: 'member' },
	'GET /console/api/questions': { access: 'member' },
	'POST /console/api/questions/:question_id/answer': {
		access: 'member',
		body: { choice: 'yes' },
		thing: ({ question }) => `/questions/${question}/answer`,
	},
	'POST /console/api/questions/:question_id/callback': {
		access: 'member',
		thing: ({ question }) => `/questions/${question}/callback`,
	},
	'DELETE /console/api/questions/:question_id': {
		access: 'member',
		thing: ({ question }) => `/questions/${question}`,
	},
	'GET /console/api/members': { access: 'member' },
	'POST /console/api/invitations': { access: 'owner', body: invite },
	'DELETE /console/api/invitations/:id': {
		access: 'owner',
		thing: ({ invitation }) => `/invitations/${invitation}`,
	},
	'PUT /console/api/members/:id': {
		access: 'owner',
		body: invite,
		thing: ({ member }) => `/members/${member}`,
	},
	'DELETE /console/api/members/:id': {
		access: 'owner',
		thing: ({ member }) => `/members/${member}`,
	},
	'POST /console/api/members/:id/reset-link': {
		access: 'owner',
		thing: ({ member }) => `/members/${member}/reset-link`,
	},
	'GET /console/api/audit': { access: 'owner' },
	'GET /console/api/usage': { access: 'member' },
	'POST /console/api/playground/preview': { access: 'member', body: push },
	'POST /console/api/playground/send': { access: 'member', body: push },
	'POST /console/api/playground/image': { access: 'member' },

	'POST /device/pair': { access: 'anybody' },
	'GET /device/events': { access: 'phone' },
	'GET /device/snapshot': { access: 'phone' },
	'GET /device/inbox': { access: 'phone' },
	'GET /device/history': { access: 'phone' },
	'GET /device/deliveries/:delivery_id/message': { access: 'phone' },
	'GET /device/channels': { access: 'phone' },
	'PUT /device/channels/:slug': { access: 'phone', body: { muted: true } },
	'POST /device/acknowledge': { access: 'phone', body: { deliveries: [1] } },
	'PUT /device/tokens': { access: 'phone', body: { push_token: 'x' } },
	'PUT /device/activities/:activity_id/token': { access: 'phone', body: { token: 'x' } },
	'POST /device/taps': { access: 'phone', body: {} },
	'POST /device/questions/:question_id/answer': { access: 'phone', body: {} },
	'POST /device/dismissals': { access: 'phone', body: {} },
	'POST /device/snoozes': { access: 'phone', body: {} },
	'POST /device/notifications/clear': { access: 'phone', body: { up_to: 1 } },
	'POST /device/notifications/restore': { access: 'phone', body: { undo: '1' } },
	'GET /device/web-push-key': { access: 'phone' },
	'GET /device/quiet': { access: 'phone' },
	'PUT /device/quiet': { access: 'phone', body: {} },
	'PUT /device/quiet/mute': { access: 'phone', body: {} },
	'PUT /device/preferences': { access: 'phone', body: {} },
	'DELETE /device/badge': { access: 'phone' },
	'DELETE /device': { access: 'phone' },
};

const partsOf = (route: string) => route.split(' ') as [Method, string];
const entriesWith = (...kinds: Access[]) =>
	Object.keys(ROUTES).filter((route) => kinds.includes(ROUTES[route]!.access));

let server: TestServer;
let owner: Console;
let member: Console;
let stranger: Console;
let things: Things;

beforeAll(async () => {
	server = await startTestServer();
	owner = await signedIn(server);
	member = await signedIn(server, { invitedBy: owner });
	const other = await server.addAccount();
	stranger = await signedIn(server, { account: other.id });
	await server.addChannel('ops');
	await server.addMetric({ key: 'load', name: 'Load' });
	for (const key of ['deploy', 'waiting'])
		await server.call('PUT', `/live-activity/stream/${key}`, { content_state: STATES.progress });
	await owner.call('POST', '/streams/waiting/pause');
	await owner.call('POST', '/invitations', { role: 'member' });
	const { body: live } = await owner.call('GET', '/live');
	const { body: history } = await owner.call('GET', '/history');
	const { body: asked } = await server.call('POST', '/questions', {
		title: 'Deploy?',
		choices: [{ id: 'yes', title: 'Approve' }],
	});
	const { body: keys } = await owner.call('GET', '/keys');
	const { body: members } = await owner.call('GET', '/members');
	await owner.call('POST', '/users', { name: 'Guest' });
	const { body: people } = await owner.call('GET', '/users');
	things = {
		person: people['people'].find(({ name }: { name: string }) => name === 'Guest').id,
		device: server.phone.id,
		key: keys[0].id,
		member: member.memberId,
		invitation: members['invitations'][0].id,
		activity: live['activities'][0].activity.activity_id,
		history: history['entries'][0].id,
		question: asked['question_id'],
	};
	// Stored soon after the request.
	await waitFor(
		'the last use of the key',
		async () => (await owner.call('GET', '/keys')).body[0].last_accepted_at !== null,
	);
});
afterAll(() => server.close());

const pathOf = (route: string) =>
	ROUTES[route]!.thing?.(things) ?? partsOf(route)[1].replace('/console/api', '');

const everything = async () =>
	JSON.stringify(
		await Promise.all(
			[
				'devices',
				'users',
				'channels',
				'keys',
				'metrics',
				'members',
				'usage',
				'history',
				'audit',
			].map(async (page) => (await owner.call('GET', `/${page}`)).body),
		),
		// Ignored, because a real clock goes on.
		(name, value: unknown) => (name === 'reset_seconds' ? undefined : value),
	);

it('knows every route of the console and of the device protocol', () => {
	const ours = routesOf(server.app).filter(
		(route) => /^\w+ \/(console\/api|device)(\/|$)/.test(route) && !route.startsWith('HEAD '),
	);
	const tidy = [...new Set(ours.map((route) => route.replace(/\/$/, '')))];
	expect(tidy.sort()).toEqual(Object.keys(ROUTES).sort());
});

describe('without a session', () => {
	it.each(entriesWith('member', 'owner'))('%s is refused', async (route) => {
		const [method] = partsOf(route);
		for (const cookie of [null, 'beckon_session=guess', `beckon_session=${server.account.key}`]) {
			const answer = await callConsole(server, method, pathOf(route), ROUTES[route]!.body, {
				cookie,
			});
			expect([answer.status, answer.body['error']]).toEqual([401, 'Not signed in']);
		}
	});
});

describe('without the CSRF token', () => {
	it.each(entriesWith('member', 'owner').filter((route) => !route.startsWith('GET')))(
		'%s is refused',
		async (route) => {
			const [method] = partsOf(route);
			const { status } = await owner.call(method, pathOf(route), ROUTES[route]!.body, {
				csrf: stranger.csrf,
			});
			expect(status).toBe(403);
		},
	);
});

describe('a member', () => {
	it.each(entriesWith('owner'))('may not call %s', async (route) => {
		const before = await everything();
		const [method] = partsOf(route);
		const { status, body } = await member.call(method, pathOf(route), ROUTES[route]!.body);
		expect([status, body['error']]).toEqual([403, 'Owners only']);
		expect(await everything()).toBe(before);
	});
});

describe('the owner of another account', () => {
	const named = Object.keys(ROUTES).filter((route) => ROUTES[route]!.thing);
	it.each(named)('finds nothing at %s', async (route) => {
		const before = await everything();
		const [method] = partsOf(route);
		const { status } = await stranger.call(method, pathOf(route), ROUTES[route]!.body);
		expect([403, 404]).toContain(status);
		expect(await everything()).toBe(before);
	});

	const lists = entriesWith('member').filter(
		(route) => route.startsWith('GET') && !ROUTES[route]!.thing && !route.endsWith('/events'),
	);
	it.each(lists)('sees nothing of the account at %s', async (route) => {
		const { status, body } = await stranger.call('GET', pathOf(route));
		expect(status).toBe(200);
		for (const secret of [...Object.values(things), server.account.id, 'ops', 'deploy'])
			expect(JSON.stringify(body)).not.toContain(secret);
	});

	it('reaches none of its phones from the Playground', async () => {
		expect((await stranger.call('POST', '/playground/send', push)).status).toBe(422);
	});
});

describe('a phone of another account, or none', () => {
	it.each(entriesWith('phone'))('%s is refused without its token', async (route) => {
		const [method, path] = partsOf(route);
		for (const authorization of [undefined, 'Bearer guess', `Bearer ${server.account.key}`]) {
			const { statusCode } = await server.app.inject({
				method: method as 'GET',
				url: path.replace('/device', '/device/').replace('//', '/').replace(/\/$/, '/'),
				headers: { cookie: owner.cookie, ...(authorization && { authorization }) },
				...(ROUTES[route]!.body !== undefined && { payload: ROUTES[route]!.body as object }),
			});
			expect(statusCode).toBe(401);
		}
	});

	it('gets no activity, delivery or metric of the first account', async () => {
		const { id } = await server.addAccount();
		const phone = await server.pairPhone({ account: id });
		expect(await phone.inbox()).toEqual([]);
		expect(await phone.snapshot()).toMatchObject({
			notifications: [],
			activities: [],
			metrics: [],
		});
		const own = (await server.phone.inbox())[0].id;
		expect((await phone.call('POST', '/acknowledge', { deliveries: [own] })).body).toEqual({
			acknowledged: 0,
		});
		expect((await phone.call('POST', '/dismissals', { delivery_id: own })).status).toBe(404);
		expect((await phone.call('POST', '/dismissals', { activity_id: things.activity })).status).toBe(
			404,
		);
		expect(
			(await phone.call('PUT', `/activities/${things.activity}/token`, { token: 'x' })).status,
		).toBe(404);
	});
});
