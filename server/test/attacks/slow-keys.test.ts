import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { STATES } from '../support/samples.ts';
import { group } from '../senders/support/groups.ts';
import { ASKED, done, startTeam, type Team } from './support/team.ts';

/** Attempts to act with a key that is lost while the body of a request is on its way. */

const PNG = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);
const TRIGGER = `trg_${'h'.repeat(43)}`;
const SESSION = 'session-of-n8n-1';

let team: Team;
beforeAll(async () => {
	team = await startTeam({ BECKON_PUBLIC_URL: 'https://beckon.example.com' });
	await team.server.addMetric({ key: 'load' });
});
afterAll(() => team.server.close());

interface Sent {
	method?: 'POST' | 'PUT';
	url: string;
	body: object | string | Buffer;
	headers?: Record<string, string>;
}

/** Sends a request whose body arrives seconds after its head, and after `change`. */
async function held(
	{ method = 'POST', url, body, headers }: Sent,
	key: string,
	change: () => Promise<unknown>,
) {
	const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
	const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
	let isRead = false;
	const payload = new Readable({
		read() {
			if (isRead) return;
			isRead = true;
			change().then(
				() => {
					team.server.clock.advance(5);
					this.push(bytes);
					this.push(null);
				},
				(error: unknown) => this.destroy(error as Error),
			);
		},
	});
	const { statusCode } = await team.server.app.inject({
		method,
		url,
		payload,
		headers: {
			'content-type': 'application/json',
			'content-length': String(bytes.length),
			authorization: `Bearer ${key}`,
			...headers,
		},
	});
	expect(isRead).toBe(true);
	return statusCode;
}

/** What no attempt may change. */
async function state() {
	const { read } = team.server.context.database;
	const [messages, questions, triggers, streams, images, metrics] = await Promise.all([
		read.selectFrom('messages').select('id').execute(),
		read.selectFrom('questions').select(['id', 'status']).execute(),
		read.selectFrom('triggers').select(['id', 'name']).execute(),
		read.selectFrom('streams').select('stream_key').execute(),
		read.selectFrom('images').select('path_hash').execute(),
		read.selectFrom('metrics').select(['key', 'value_json']).execute(),
	]);
	return { messages, questions, triggers, streams, images, metrics };
}

const push = { title: 'Late' };
const API: Record<string, Sent> = {
	'a push': { url: '/api/push-notification', body: push },
	'a repeated push': {
		url: '/api/push-notification/repeated',
		body: { push, repeat: { every_minutes: 1, times: 1 } },
	},
	'a question': { url: '/api/questions', body: ASKED },
	'a badge': { url: '/api/badge', body: { badge: 7 } },
	'a Live Activity': {
		url: '/api/live-activity/start',
		body: { content_state: STATES.alert },
	},
	'a stream': {
		method: 'PUT',
		url: '/api/live-activity/stream/late',
		body: { content_state: STATES.alert },
	},
	'a metric': { url: '/api/metrics/load/value', body: { value: 1 } },
	'a trigger': {
		method: 'PUT',
		url: `/api/triggers/${TRIGGER}`,
		body: { name: 'Late', session: SESSION },
	},
	'a picture': { url: '/api/images', body: PNG, headers: { 'content-type': 'image/png' } },
	'a tool for agents': {
		url: '/mcp',
		body: {
			jsonrpc: '2.0',
			id: 1,
			method: 'tools/call',
			params: { name: 'send_push', arguments: push },
		},
		headers: { accept: 'application/json, text/event-stream' },
	},
};

const SENDERS: Record<string, Sent> = {
	'a message of ntfy': {
		url: '/ntfy/ops',
		body: 'Late',
		headers: { 'content-type': 'text/plain' },
	},
	'a message of gotify': { url: '/gotify/message', body: { message: 'Late' } },
	'alerts of Alertmanager': { url: '/alertmanager', body: group(['critical'], { name: 'Late' }) },
	'a permission of an agent': {
		url: '/agent-hook',
		body: {
			hook_event_name: 'PermissionRequest',
			tool_name: 'Bash',
			tool_input: { command: 'ls' },
		},
	},
	'news of an agent': {
		url: '/agent-hook',
		body: { hook_event_name: 'Notification', message: 'Late', notification_type: 'idle_prompt' },
	},
};

describe('a key acts after it is lost, by a body that arrives late', () => {
	const attempts = [
		...Object.keys(API).map((what) => [what, API[what]!, 'api'] as const),
		...Object.keys(SENDERS).map((what) => [what, SENDERS[what]!, 'sender'] as const),
	];

	it.each(attempts)('%s, as its key is revoked', async (_what, sent, kind) => {
		const { server } = team;
		const key =
			kind === 'api' ? await server.addKey(server.account.id) : await server.addSenderKey(['ops']);
		const before = await state();
		const status = await held(sent, key, () => server.revokeKey(server.account.id, key));
		const after = await state();
		expect(after).toEqual(before);
		// A tool’s call is refused inside its message.
		if (sent.url !== '/mcp') expect(status).toBe(401);
	});

	it.each(['a push', 'a question', 'a stream', 'a message of ntfy'])(
		'%s, as it is revoked, and its channel deleted and made anew for others',
		async (what) => {
			const { server, olga } = team;
			await server.addChannel('brief', { users: ['Ada'] });
			const isSender = what in SENDERS;
			const key = isSender
				? await server.addSenderKey(['brief'])
				: await server.addKey(server.account.id, ['brief']);
			const sent = isSender ? { ...SENDERS[what]!, url: '/ntfy/brief' } : API[what]!;
			const before = await state();
			const status = await held(sent, key, async () => {
				await server.revokeKey(server.account.id, key);
				await done(olga.call('DELETE', '/channels/brief'));
				await server.addChannel('brief', { users: ['Bob'] });
			});
			expect(await state()).toEqual(before);
			expect(status).toBe(401);
			await olga.call('DELETE', '/channels/brief');
		},
	);

	it('but one that still has its key goes on', async () => {
		const { server } = team;
		const key = await server.addKey(server.account.id, ['ops']);
		expect(await held(API['a push']!, key, async () => undefined)).toBe(200);
	});
});
