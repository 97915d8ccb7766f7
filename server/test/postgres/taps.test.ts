import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { followEvents } from '../support/events.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestServer, type TestPhone } from '../support/server.ts';
import { countLooks } from '../support/tap-bench.ts';
import { waitFor, within } from '../support/wait.ts';
import { PLENTY, server, start, stop } from './support/several-servers.ts';

/** A phone's stream looks for what nobody told it this often. */
const STREAM_LOOKS_MS = 120_000;

describe('a question that two phones answer at two servers', () => {
	let phones: TestPhone[];
	let webhook: Receiver;
	/** Lets the webhook answer, now and from then on. */
	let letGo: () => void;

	beforeEach(async () => {
		const isLetGo = new Promise<void>((resolve) => (letGo = resolve));
		await start({ ...PLENTY, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
		phones = [server(0).phone, await server(1).pairPhone({ name: 'Kitchen' })];
		webhook = await startReceiver(({ path }, response) => {
			const answer = JSON.stringify({ final: path === '/final' });
			void isLetGo.then(() => response.setHeader('content-type', 'application/json').end(answer));
		});
	});
	afterEach(async () => {
		letGo();
		await webhook.close();
		await stop();
	});

	/** @returns a function that taps on the n-th phone, on its own button */
	const ask = async (path: string, askedPhones = phones) => {
		const actions = ['Approve', 'Decline'].map((title) => ({
			title,
			type: 'webhook',
			url: `${webhook.url}${path}`,
			body: { choice: title },
		}));
		await server(2).call('POST', '/push-notification', { title: 'Release?', actions });
		const ids = await Promise.all(
			askedPhones.map(async (phone) => (await phone.inbox()).at(-1).id),
		);
		return async (n: number) => {
			const tap = { tap_id: randomUUID(), delivery_id: ids[n], action: n };
			return (await askedPhones[n]!.call('POST', '/taps', tap)).body;
		};
	};
	const choices = () =>
		webhook.received.map(({ body }) => (JSON.parse(body) as { choice: string }).choice);

	it('calls one webhook, and refuses the other tap, once the answer is final', async () => {
		const tap = await ask('/final');
		const taps = Promise.all([tap(0), tap(1)]);
		await waitFor('the call', () => webhook.received.length > 0);
		letGo();
		const outcomes = await within('the taps', taps);
		expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['called', 'refused']);
		const [choice, ...more] = choices();
		expect(more).toEqual([]);
		for (const { answer } of outcomes)
			expect(answer).toMatchObject({ button: choice, final: true });
	});

	it.each([20, -20])(
		'calls one webhook where the clock of the second server is %s s ahead',
		async (seconds) => {
			const settings = { ...PLENTY, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' };
			const beside = { settings, followsOthers: true, beside: server(0) };
			const other = await startTestServer({ ...beside, ahead: seconds * 1_000 });
			try {
				const tap = await ask('/final', [phones[1]!, other.phone]);
				const first = tap(0);
				await waitFor('the call', () => webhook.received.length > 0);
				const looks = countLooks(other);
				const second = tap(1);
				await waitFor('further looks', () => looks() > 1);
				expect(choices()).toEqual(['Approve']);
				letGo();
				expect((await within('the first tap', first)).outcome).toBe('called');
				expect((await within('the second tap', second)).outcome).toBe('refused');
				expect(choices()).toEqual(['Approve']);
			} finally {
				await other.close();
			}
		},
	);

	it('calls the second webhook when the first has answered, where neither is final', async () => {
		const tap = await ask('/open');
		const first = tap(0);
		await waitFor('the call', () => webhook.received.length > 0);
		const second = tap(1);
		// An account's writes run in turn: the tap is behind this one.
		await server(1).call('POST', '/badge', { badge: 1 });
		expect(choices()).toEqual(['Approve']);
		letGo();
		for (const { outcome } of await within('the taps', Promise.all([first, second])))
			expect(outcome).toBe('called');
		expect(choices()).toEqual(['Approve', 'Decline']);
	});

	it('shows its answer at once on the phone that did not give it', async () => {
		const base = await server(1).app.listen({ host: '127.0.0.1', port: 0 });
		const stream = await followEvents(base, phones[1]!.token);
		try {
			const tap = await ask('/final');
			letGo();
			const { answer } = await tap(0);
			const isUpdate = ({ data }: { data: any }) => data.kind === 'push_update';
			const update = stream.waitForEvent('the answer', isUpdate);
			expect((await within('the answer', update, STREAM_LOOKS_MS)).data.push.answer).toEqual(
				answer,
			);
		} finally {
			await stream.close();
		}
	});
});
