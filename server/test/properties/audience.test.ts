import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addUser } from '../../src/service/people/people.ts';
import { createAccount } from '../../src/service/accounts/accounts.ts';
import {
	type Audience,
	decideAudience,
	loadReach,
	toReachQuery,
} from '../../src/service/sending/audience.ts';
import { assignToChannel, createChannel } from '../../src/service/keys-and-channels/channels.ts';
import type { Caller } from '../../src/service/context.ts';
import { Refusal } from '../../src/service/refusal.ts';
import { insertDevice, markDisconnected } from '../../src/store/phones/devices.ts';
import { scaled } from '../support/scaled.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const SLUGS = ['red', 'green', 'blue', 'empty'];

interface World {
	/** For each user, one entry per phone: true if it is connected. */
	users: boolean[][];
	/** For each channel, the positions of its users and phones; a position too high is nobody. */
	channels: Array<{ users: number[]; phones: number[] }>;
}

const world: fc.Arbitrary<World> = fc.record({
	users: fc.array(fc.array(fc.boolean(), { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
	channels: fc.array(
		fc.record({
			users: fc.uniqueArray(fc.nat(4)),
			phones: fc.uniqueArray(fc.nat(8), { maxLength: 4 }),
		}),
		{ minLength: 3, maxLength: 3 },
	),
});

/** Slugs of a key or a target; `nowhere` names no channel. */
const scope = fc.option(fc.subarray(SLUGS, { minLength: 1 }), { nil: null });
const target = fc.option(fc.subarray([...SLUGS, 'nowhere'], { minLength: 1 }), { nil: undefined });

interface Phone {
	id: string;
	user: number;
	isActive: boolean;
}

/** The table of docs/api-decisions.md "Recipients and counts", by brute force. */
function expectedAudience(
	phones: Phone[],
	{ channels }: World,
	key: string[] | null,
	requested: string[] | undefined,
) {
	if (key && requested?.some((slug) => !key.includes(slug))) return 'forbidden';
	if (requested?.includes('nowhere')) return 'invalid';
	const slugs = requested ?? key;
	const reached = phones.filter(
		(phone, position) =>
			slugs === null ||
			slugs.some((slug) => {
				const channel = channels[SLUGS.indexOf(slug)];
				return channel && (channel.users.includes(phone.user) || channel.phones.includes(position));
			}),
	);
	return {
		slugs,
		devices: reached
			.filter(({ isActive }) => isActive)
			.map(({ id }) => id)
			.sort(),
		disconnected: reached
			.filter(({ isActive }) => !isActive)
			.map(({ id }) => id)
			.sort(),
	};
}

describe('the audience of a request', () => {
	let server: TestServer;
	let accounts = 0;
	beforeAll(async () => {
		server = await startTestServer();
	});
	afterAll(() => server.close());

	async function build({
		users,
		channels,
	}: World): Promise<{ accountId: string; phones: Phone[] }> {
		const { context } = server;
		accounts += 1;
		const { account } = await createAccount(context, {
			name: `world ${accounts}`,
			owner: 'o@example.com',
			plan: 'paid',
		});
		const phones: Phone[] = [];
		const ids = await Promise.all(
			users.map((_, index) => addUser(context, account.id, { name: `user ${index}` })),
		);
		await context.database.write(null, async (db) => {
			for (const [user, connected] of users.entries()) {
				for (const isActive of connected) {
					const id = `dev_${accounts}_${phones.length}`;
					phones.push({ id, user, isActive });
					await insertDevice(db, {
						...{
							id,
							account_id: account.id,
							user_id: ids[user]!.id,
							name: id,
							platform: 'web',
							token_hash: id,
						},
						...{
							status: 'active',
							push_token: null,
							push_to_start_token: null,
							badge: 0,
							paired_at: 0,
							last_seen_at: 0,
						},
					});
					if (!isActive) await markDisconnected(db, id);
				}
			}
		});
		for (const slug of SLUGS) await createChannel(context, account.id, { slug });
		for (const [index, channel] of channels.entries()) {
			await assignToChannel(context, account.id, {
				slug: SLUGS[index]!,
				users: channel.users.filter((user) => user < users.length).map((user) => `user ${user}`),
				devices: channel.phones.flatMap((position) => phones[position]?.id ?? []),
			});
		}
		return { accountId: account.id, phones };
	}

	async function audienceOf(caller: Caller, requested: string[] | undefined): Promise<Audience> {
		const { read } = server.context.database;
		const reach = await loadReach(read, [toReachQuery(caller, requested)]);
		return decideAudience(reach.get(caller.accountId)!, caller, requested);
	}

	it('is the scope of the key, cut by the target, as the table says', async () => {
		const outcomes = new Set<string>();
		await fc.assert(
			fc.asyncProperty(
				world,
				fc.array(fc.tuple(scope, target), { minLength: 5, maxLength: 15 }),
				async (shape, requests) => {
					const { accountId, phones } = await build(shape);
					for (const [key, requested] of requests) {
						const caller: Caller = { accountId, keyId: null, channels: key };
						const expected = expectedAudience(phones, shape, key, requested);
						outcomes.add(typeof expected === 'string' ? expected : 'reached');
						try {
							const { slugs, devices, disconnected } = await audienceOf(caller, requested);
							const idsOf = (reached: ReadonlyArray<{ id: string }>) =>
								reached.map(({ id }) => id).sort();
							// A phone in two channels, or also there by its user, is reached once.
							expect({ slugs, devices: idsOf(devices), disconnected: idsOf(disconnected) }).toEqual(
								expected,
							);
						} catch (error) {
							if (!(error instanceof Refusal)) throw error;
							expect(error.kind).toBe(expected);
						}
					}
				},
			),
			{ numRuns: scaled(60) },
		);
		expect(outcomes).toEqual(new Set(['reached', 'invalid', 'forbidden']));
	});

	it('is told in the answer, in phones and in users, and only those phones are reached', async () => {
		await fc.assert(
			fc.asyncProperty(world, scope, target, async (shape, channels, requested) => {
				server.clock.advance(120);
				const { accountId, phones } = await build(shape);
				const key = await server.addKey(accountId, channels ?? undefined);
				const expected = expectedAudience(phones, shape, channels, requested);
				const body = { title: 'A', ...(requested && { target: { channels: requested } }) };
				const answer = await server.call('POST', '/push-notification', body, { key });
				if (typeof expected === 'string')
					return expect(answer.status).toBe(expected === 'invalid' ? 400 : 403);
				const reached = phones.filter(({ id }) => expected.devices.includes(id));
				// A key's own channels have no set order; those of a request keep the request's.
				const slugs = answer.body['effective_channel_slugs'] as string[] | null;
				expect(requested ? slugs : slugs && [...slugs].sort()).toEqual(
					requested ?? (channels && [...channels].sort()),
				);
				if (reached.length === 0) return expect(answer.status).toBe(422);
				expect(answer.body).toMatchObject({
					devices_notified: reached.length,
					users_notified: new Set(reached.map(({ user }) => user)).size,
				});
				const rows = await server.context.database.read
					.selectFrom('deliveries')
					.innerJoin('devices', 'devices.id', 'deliveries.device_id')
					.select('device_id')
					.where('devices.account_id', '=', accountId)
					.execute();
				return expect(rows.map(({ device_id }) => device_id).sort()).toEqual(expected.devices);
			}),
			{ numRuns: scaled(60) },
		);
	});
});
