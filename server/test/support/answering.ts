import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { mayAnswer } from '../../web/device/questions.ts';
import { type Console, signedIn } from '../console/support/console.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { UNLIMITED } from './samples.ts';
import { startTestServer, type TestPhone, type TestServer } from './server.ts';

const ASKED = { title: 'Deploy?', choices: [{ id: 'yes', title: 'Approve' }] };
const TRIGGER = `trg_${'a'.repeat(43)}`;
const SESSION = 'session-of-n8n-1';

/** Olga owns the account, Ada and Bob are members, and Sam has a phone but does not sign in. Cy may come later. */
export interface World {
	server: TestServer;
	receiver: Receiver;
	phones: Record<string, TestPhone>;
	consoles: Record<string, Console>;
	/** The ids of people, by name. */
	people: Record<string, string>;
	/** Replaces the members of a channel. */
	setChannel: (slug: string, users: string[], phones?: string[]) => Promise<unknown>;
}

export async function createWorld(): Promise<World> {
	const receiver = await startReceiver();
	const settings = { ...UNLIMITED, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' };
	const server = await startTestServer({ settings });
	const olga = await signedIn(server);
	const consoles: World['consoles'] = { olga };
	const phones: World['phones'] = { olga: server.phone };
	for (const name of ['Ada', 'Bob'])
		consoles[name.toLowerCase()] = await signedIn(server, { invitedBy: olga, name });
	await olga.call('POST', '/users', { name: 'Sam' });
	for (const user of ['Ada', 'Bob', 'Sam'])
		phones[user.toLowerCase()] = await server.pairPhone({ user, name: `Phone of ${user}` });
	await server.addChannel('ops', { users: ['Ada'], devices: [phones['sam']!.id] });
	await server.addChannel('boss', { users: ['Olga'] });
	const names = (await olga.call('GET', '/user-names')).body as unknown as any[];
	const session = { name: 'Deploy', session: SESSION };
	expect((await server.call('PUT', `/triggers/${TRIGGER}`, session)).status).toBe(200);
	return {
		server,
		receiver,
		phones,
		consoles,
		people: Object.fromEntries(names.map(({ id, name }) => [name, id])),
		setChannel: (slug, users, devices = []) =>
			olga.call('PUT', `/channels/${slug}`, { users, devices }),
	};
}

/** Prepares the ways to answer, before the situation changes. @returns those who could answer in each of them */
type Way = (world: World, sent: object) => Promise<() => Promise<string[]>>;

async function ask({ server }: World, sent: object): Promise<string> {
	const { status, body } = await server.call('POST', '/questions', { ...ASKED, ...sent });
	expect({ status, body }).toMatchObject({ status: 200 });
	return String(body['question_id']);
}

const hasEnded = async ({ server }: World, id: string, status = 'answered') =>
	(await server.call('GET', `/questions/${id}`)).body['status'] === status;

/** Asks for each of those who try, and finds out whose attempt has ended the question. */
function byQuestion(
	whoTries: (world: World) => Record<string, unknown>,
	attempt: (world: World, who: string, questionId: string) => Promise<unknown>,
	{ more = {}, status = 'answered' } = {},
): Way {
	return async (world, sent) => {
		const asked: Array<[string, string]> = [];
		for (const who of [...Object.keys(whoTries(world)), 'cy'])
			asked.push([who, await ask(world, { ...sent, ...more })]);
		return async () => {
			const succeeded = [];
			for (const [who, id] of asked) {
				if (who in whoTries(world)) await attempt(world, who, id);
				if (await hasEnded(world, id, status)) succeeded.push(who);
			}
			return succeeded;
		};
	};
}

/** A push with a button for each phone. */
function byButton(url: (world: World) => string, calls: (world: World) => Promise<number>): Way {
	return async (world, { target }: { target?: object }) => {
		const { server, phones } = world;
		const action = { title: 'Go', type: 'webhook', url: url(world) };
		const tried: Array<[string, number]> = [];
		for (const who of [...Object.keys(phones), 'cy']) {
			const push = { title: 'A', target, actions: [action] };
			expect((await server.call('POST', '/push-notification', push)).status).toBe(200);
			const inboxes = [phones[who] ?? [], ...Object.values(phones)]
				.flat()
				.map((one) => one.inbox());
			const newest = (await Promise.all(inboxes)).map((all) => all.at(-1)).find((one) => one?.push);
			tried.push([who, newest.id]);
		}
		return async () => {
			const succeeded = [];
			for (const [who, delivery_id] of tried) {
				const before = await calls(world);
				const tap = { tap_id: randomUUID(), delivery_id, action: 0 };
				await phones[who]?.call('POST', '/taps', tap);
				if ((await calls(world)) > before) succeeded.push(who);
			}
			return succeeded;
		};
	};
}

/** All ways to answer, and what the card and the console say about them. */
export const WAYS: Record<string, Way> = {
	// The page, and the buttons of a notification.
	card: byQuestion(
		({ phones }) => phones,
		({ phones }, who, id) =>
			phones[who]!.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), choice: 'yes' }),
	),
	activity: byQuestion(
		({ phones }) => phones,
		async ({ phones, server }, who, id) => {
			const shown = await server.context.database.read
				.selectFrom('questions')
				.select('terms_json')
				.where('id', '=', id)
				.executeTakeFirstOrThrow();
			const activity_id = JSON.parse(shown.terms_json).activity.id as string;
			const tap = { tap_id: randomUUID(), activity_id, action: 'action' };
			return phones[who]!.call('POST', '/taps', tap);
		},
		{ more: { live_activity: {} } },
	),
	console: byQuestion(
		({ consoles }) => consoles,
		({ consoles }, who, id) =>
			consoles[who]!.call('POST', `/questions/${id}/answer`, { choice: 'yes' }),
	),
	withdraw: byQuestion(
		({ consoles }) => consoles,
		({ consoles }, who, id) => consoles[who]!.call('DELETE', `/questions/${id}`),
		{ status: 'withdrawn' },
	),
	key: byQuestion(
		() => ({ key: undefined }),
		({ server }, _who, id) =>
			server.call('POST', `/questions/${id}/answer`, { fields: { choice: 'yes' } }),
	),
	webhook: byButton(
		({ receiver }) => receiver.url,
		({ receiver }) => Promise.resolve(receiver.received.length),
	),
	trigger: byButton(
		() => `http://localhost/api/triggers/${TRIGGER}`,
		async ({ server }) => {
			const path = `/triggers/${TRIGGER}/taps?session=${SESSION}&limit=10`;
			return (await server.call('GET', path)).body['taps'].length;
		},
	),
	'card shows': async (world, sent) => {
		const id = await ask(world, sent);
		return async () => {
			const able = [];
			for (const [who, phone] of Object.entries(world.phones)) {
				const { device, questions = [] } = await phone.snapshot();
				const shown = questions.find(({ push }: any) => push.question.question_id === id);
				if (shown && mayAnswer(shown.push.question, device.user.id)) able.push(who);
			}
			return able;
		};
	},
	'console shows': async (world, sent) => {
		const id = await ask(world, sent);
		return async () => {
			const able = [];
			for (const [who, one] of Object.entries(world.consoles)) {
				const { questions = [] } = (await one.call('GET', '/questions?status=open&limit=100')).body;
				const listed = questions.find(({ question_id: of }: any) => of === id);
				expect(listed?.may_answer).toBe(listed && listed.shown.why_not === undefined);
				if (listed?.may_answer) able.push(who);
			}
			return able;
		};
	},
};
