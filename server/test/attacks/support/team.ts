import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { toPhoneSlug } from '../../../src/service/sending/audience.ts';
import type { SteeredGateway } from '../../support/gateways.ts';
import { STATES, UNLIMITED } from '../../support/samples.ts';
import {
	type Answer,
	startTestServer,
	type TestPhone,
	type TestServer,
} from '../../support/server.ts';
import { waitFor } from '../../support/wait.ts';
import { type Console, signedIn } from '../../console/support/console.ts';

export const ASKED = {
	title: 'Deploy?',
	choices: [
		{ id: 'yes', title: 'Approve' },
		{ id: 'no', title: 'Decline' },
	],
};

/** Olga owns the account. Max signs in, too. Ada and Bob have phones; only Ada is in `ops`, only Bob in `sales`. */
export interface Team {
	server: TestServer;
	olga: Console;
	max: Console;
	ada: TestPhone;
	bob: TestPhone;
	/** A phone of another account. */
	stranger: TestPhone;
	/** The key of that account. */
	strangersKey: string;
	/** Keys that are limited to one channel each. */
	ops: string;
	sales: string;
	/** A name that nobody has yet. */
	unique(name: string): string;
	/** The id of a person. */
	idOf(name: string): Promise<string>;
	/** Replaces the people in a channel. */
	setChannel(slug: string, users: string[]): Promise<void>;
	/** Everything that the store has about a phone's deliveries and Live Activities. */
	storedOf(phone: TestPhone): Promise<unknown>;
}

export async function startTeam(
	settings: Record<string, string> = {},
	gateway?: SteeredGateway,
): Promise<Team> {
	const server = await startTestServer({
		settings: { ...UNLIMITED, ...settings },
		...(gateway && { gateway: gateway.before }),
	});
	const olga = await signedIn(server);
	const max = await signedIn(server, { invitedBy: olga, name: 'Max' });
	for (const name of ['Ada', 'Bob'])
		expect((await olga.call('POST', '/users', { name })).status).toBe(200);
	const ada = await server.pairPhone({ user: 'Ada', name: 'Phone of Ada' });
	const bob = await server.pairPhone({ user: 'Bob', name: 'Phone of Bob' });
	const other = await server.addAccount();
	const stranger = await server.pairPhone({ account: other.id });
	await server.addChannel('ops', { users: ['Ada'] });
	await server.addChannel('sales', { users: ['Bob'] });
	let count = 0;
	return {
		server,
		olga,
		max,
		ada,
		bob,
		stranger,
		strangersKey: other.key,
		ops: await server.addKey(server.account.id, ['ops']),
		sales: await server.addKey(server.account.id, ['sales']),
		unique: (name) => `${name} ${(count += 1)}`,
		async idOf(name) {
			const names = (await olga.call('GET', '/user-names')).body as unknown as any[];
			return names.find((one) => one.name === name).id;
		},
		async setChannel(slug, users) {
			expect((await olga.call('PUT', `/channels/${slug}`, { users })).status).toBe(200);
		},
		async storedOf({ id }) {
			const { read } = server.context.database;
			const pushes = read.selectFrom('deliveries').selectAll().where('device_id', '=', id);
			const cards = read.selectFrom('activity_devices').selectAll().where('device_id', '=', id);
			const snoozed = await read.selectFrom('snoozes').selectAll().execute();
			return [await pushes.execute(), await cards.execute(), snoozed];
		},
	};
}

/** Signs in a member, or another owner. */
export async function addMember(
	{ server, olga, unique }: Team,
	role: 'member' | 'owner',
): Promise<Console> {
	// Joining is limited.
	server.clock.advance(15 * 60);
	const added = await signedIn(server, { invitedBy: olga, name: unique('Eve') });
	await done(olga.call('PUT', `/members/${added.memberId}`, { role }));
	return added;
}

/** Requires a success, and returns its body. */
export async function done(answer: Promise<Answer>): Promise<Record<string, any>> {
	const { status, body } = await answer;
	expect({ status, body }).toMatchObject({ status: 200 });
	return body;
}

export const answerOn = (phone: TestPhone, id: string, given: object = { choice: 'yes' }) =>
	phone.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), ...given });

export const onPhone = ({ id }: TestPhone) => ({ channels: [toPhoneSlug(id)] });

/** A Live Activity with a title. */
export const shows = (title: string) => ({ content_state: { ...STATES.alert, title } });

/** The titles of the Live Activities on a phone. */
export const cardsOn = async (phone: TestPhone): Promise<string[]> =>
	(await phone.snapshot()).activities.map(({ content_state: state }: any) => state.title);

/** Withdraws the questions on a phone, and waits until no request waits for an answer. */
export async function withdrawOpen(server: TestServer, phone: TestPhone): Promise<void> {
	for (const { push } of (await phone.snapshot()).questions)
		await server.call('DELETE', `/questions/${push.question.question_id}`);
	await waitFor('all waits to end', () => server.context.questionWaits.size === 0);
}
