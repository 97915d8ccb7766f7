import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HANDED_OVER } from '../../src/delivery/gateway.ts';
import { createLogger } from '../../src/log.ts';
import { addUser } from '../../src/service/people/people.ts';
import { alertOwners } from '../../src/service/upkeep/owners.ts';
import { signedIn } from '../console/support/console.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FAILED = { kind: 'retry', reason: 'InvalidProviderToken' } as const;
const MINUTE = 60;

describe('what still fails after an hour', () => {
	let server: TestServer;
	beforeEach(async () => {
		const logger = createLogger({ BECKON_LOG_LEVEL: 'silent' });
		server = await startTestServer({ logger });
		await signedIn(server);
	});
	afterEach(() => server.close());

	const attempt = (outcome: typeof FAILED | typeof HANDED_OVER) =>
		server.context.operatorLog!.attempted({ gateway: 'apns', outcome, phone: 'dev_1' });
	/** As the server does once a minute. @returns what the owner's phone has got */
	const told = async () => {
		const news = server.context.operatorLog!.takeAlerts();
		await alertOwners(server.context, server.account.name, news);
		const inbox: Array<{ push: { message: string } }> = await server.phone.inbox();
		return inbox.map(({ push }) => push.message);
	};
	const FAILS = 'Has failed for an hour: push service apns. The reason: InvalidProviderToken.';

	it('is told to owners once, and once when it is over', async () => {
		for (let times = 0; times < 5; times += 1) attempt(FAILED);
		expect(await told()).toEqual([]);
		server.clock.advance(59 * MINUTE);
		expect(await told()).toEqual([]);
		server.clock.advance(2 * MINUTE);
		expect(await told()).toEqual([FAILS]);
		server.clock.advance(90 * MINUTE);
		attempt(FAILED);
		expect(await told()).toEqual([FAILS]);
		attempt(HANDED_OVER);
		expect(await told()).toEqual([FAILS, 'Works again: push service apns.']);
		expect(await told()).toHaveLength(2);
	});

	it('is not told if it was over before, or if only one phone had trouble', async () => {
		for (let times = 0; times < 5; times += 1) attempt(FAILED);
		server.clock.advance(59 * MINUTE);
		attempt(HANDED_OVER);
		attempt(FAILED);
		server.clock.advance(90 * MINUTE);
		expect(await told()).toEqual([]);
	});

	it('is told once by several servers, and only to owners', async () => {
		const tablet = await server.pairPhone({ name: 'Tablet' });
		await addUser(server.context, server.account.id, { name: 'Eve' });
		const others = await server.pairPhone({ user: 'Eve' });
		await alertOwners(server.context, server.account.name, [FAILS]);
		await alertOwners(server.context, server.account.name, [FAILS.replace('Invalid', 'Other')]);
		expect(await server.phone.inbox()).toHaveLength(1);
		expect(await tablet.inbox()).toHaveLength(1);
		expect(await others.inbox()).toEqual([]);
		const other = await server.addAccount({ name: 'other' });
		const stranger = await server.pairPhone({ account: other.id });
		expect(await stranger.inbox()).toEqual([]);
	});

	it('is an error for an account that does not exist, even before anything fails', async () => {
		await expect(alertOwners(server.context, 'acne', [])).rejects.toThrow('no account named acne');
		await expect(alertOwners(server.context, server.account.name, [])).resolves.toBeUndefined();
	});

	it('names what works on its own, with the reason', async () => {
		const log = server.context.operatorLog!;
		await log.watch('backing up', () => Promise.reject(new Error('no room')));
		server.clock.advance(61 * MINUTE);
		expect(await told()).toEqual(['Has failed for an hour: backing up. The reason: no room.']);
		await log.watch('backing up', () => Promise.resolve());
		expect((await told()).at(-1)).toBe('Works again: backing up.');
	});
});
