import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addUser } from '../../src/service/people/people.ts';
import { waitingTaps } from '../../src/service/triggers/taps.ts';
import { settleDue } from '../support/later.ts';
import { waitFor, within } from '../support/wait.ts';
import { PLENTY, server, servers, start, stop } from './support/several-servers.ts';

const TRIGGER = `trg_${'a'.repeat(43)}`;
const SESSION = 'session-of-n8n-1';

/** What a request that waits takes if nothing wakes it. */
const WAIT_MS = 50_000;

describe('a trigger at several servers', () => {
	beforeEach(() => start({ ...PLENTY, BECKON_RATE_TRIGGERS: '100000' }));
	afterEach(stop);

	const register = () =>
		server(0).call('PUT', `/triggers/${TRIGGER}`, { name: 'Ship', session: SESSION });
	const taps = async (n: number, query = '') =>
		(await server(n).call('GET', `/triggers/${TRIGGER}/taps?session=${SESSION}${query}`)).body[
			'taps'
		];
	const push = async () => {
		const url = `https://beckon.example/api/triggers/${TRIGGER}`;
		const actions = [{ title: 'Ship it', type: 'webhook', url }];
		await server(0).call('POST', '/push-notification', { title: 'A', actions });
	};

	it('is started once, whoever taps at whichever of them, and tells the others who was first', async () => {
		await register();
		const phones = [server(0).phone];
		for (const [n, name] of ['Ada', 'Bob'].entries()) {
			await addUser(server(0).context, server(0).account.id, { name });
			phones.push(await server(n + 1).pairPhone({ user: name, name: `${name}'s` }));
		}
		for (let round = 1; round <= 5; round += 1) {
			await push();
			// All read it before the first tap: what is left of it afterwards has no button.
			const inboxes = await Promise.all(phones.map((phone) => phone.inbox()));
			const answers = await Promise.all(
				phones.map(async (phone, n) => {
					const { id } = inboxes[n]!.at(-1)!;
					const report = { tap_id: randomUUID(), delivery_id: id, action: 0 };
					return (await phone.call('POST', '/taps', report)).body;
				}),
			);
			const [first, ...rest] = answers.filter(({ outcome }) => outcome === 'called');
			expect(rest).toEqual([]);
			const [{ by }, ...more] = (await taps(round)).slice(round - 1);
			expect(more).toEqual([]);
			expect(first?.answer).toMatchObject({ by: by.user, device: by.device });
			const others = answers.filter((one) => one !== first);
			expect(others).toHaveLength(2);
			for (const { outcome, answer, message } of others) {
				expect({ outcome, answer }).toEqual({ outcome: 'refused', answer: first?.answer });
				expect(message).toContain(`Already answered: “Ship it” by ${by.user}`);
			}
		}
	});

	it('is woken at one of them by a tap at another', async () => {
		await register();
		await push();
		const waiting = taps(2, '&wait=50');
		await waitFor('the request to wait', () => server(2).context.triggerWaits.size === 1);
		const phone = server(0).phone;
		const { id } = (await phone.inbox()).at(-1);
		await phone.call('POST', '/taps', { tap_id: randomUUID(), delivery_id: id, action: 0 });
		expect(await within('the tap', waiting, WAIT_MS)).toHaveLength(1);
	});

	it('is given up once, however many of them look', async () => {
		await register();
		await push();
		const { phone, clock } = server(0);
		const { id } = (await phone.inbox()).at(-1);
		await phone.call('POST', '/taps', { tap_id: randomUUID(), delivery_id: id, action: 0 });
		clock.advance(24 * 60 * 60 + 1);
		await Promise.all(servers.map(({ context }) => settleDue(context, waitingTaps)));
		const kinds = (await phone.inbox()).map(({ kind }) => kind);
		expect(kinds.filter((kind) => kind === 'push_update')).toHaveLength(2);
	});
});
