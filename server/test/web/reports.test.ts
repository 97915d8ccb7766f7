import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { asAnswered, cardMemory, forgetCards, remember } from '../../web/phone/card-memory.ts';
import { keepReport, keepTap, sendReports } from '../../web/phone/reports.ts';
import { forget, load, save } from '../../web/phone/storage.ts';

const realFetch = globalThis.fetch;
const id = (number: number) => `11111111-1111-4111-8111-11111111111${number}`;
const question = (status: 'open' | 'withdrawn') => ({
	question_id: 'deploy',
	status,
	deadline_at: '2026-03-01T12:00:00.000Z',
	callback: 'none' as const,
});
const tap = (number: number, title = 'Accept') => ({
	kind: 'tap' as const,
	title,
	request: { tap_id: id(number), delivery_id: number, action: 0 },
});
const answer = (number: number) => ({
	kind: 'answer' as const,
	title: 'Approve',
	questionId: 'deploy',
	request: { tap_id: id(number), choice: 'yes' },
});

/** Without IndexedDB, what is kept lasts as long as the page, as in some private windows. */
describe('taps on the page', () => {
	let sent: Array<{ path: string; tap_id: string }>;
	let respond: (path: string) => Response;

	beforeEach(async () => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		sent = [];
		respond = () => Response.json({ outcome: 'called', message: 'Order 7 is accepted.' });
		globalThis.fetch = (path, init) => {
			const { tap_id } = JSON.parse(init?.body as string) as { tap_id: string };
			const url = path as string;
			sent.push({ path: url, tap_id });
			// Rejects with what it throws.
			return new Promise((resolve) => resolve(respond(url)));
		};
		await save('token', 'bd_token');
	});
	afterEach(async () => {
		globalThis.fetch = realFetch;
		jest.useRealTimers();
		await forget('token', 'reports', 'cards');
		forgetCards();
	});

	/** Passes the pauses between attempts. */
	async function sendAll() {
		const sending = sendReports();
		let result: Awaited<typeof sending> | undefined;
		void sending.then((done) => (result = done));
		while (result === undefined) {
			await jest.advanceTimersByTimeAsync(500);
			await new Promise((resolve) => setImmediate(resolve));
		}
		return result;
	}
	const offline = () => {
		respond = () => {
			throw new TypeError('Failed to fetch');
		};
	};

	it('are told to be sent later while the server is not reached, and are sent once, in order', async () => {
		offline();
		await keepTap(tap(1));
		expect(cardMemory('n1').tap).toMatchObject({ outcome: 'pending', button: '0' });
		await keepTap(answer(2));
		expect((await sendAll()).isDone).toBe(false);
		for (const key of ['n1', 'qdeploy']) expect(cardMemory(key).tap?.outcome).toBe('queued');
		// The second one waits for its turn.
		expect(new Set(sent.map(({ tap_id }) => tap_id))).toEqual(new Set([id(1)]));

		sent = [];
		respond = (path) =>
			Response.json({
				message: 'Order 7 is accepted.',
				...(path.includes('questions')
					? { outcome: 'answered', question: question('open') }
					: { outcome: 'called' }),
			});
		expect((await sendAll()).isDone).toBe(true);
		expect(sent).toEqual([
			{ path: '/device/taps', tap_id: id(1) },
			{ path: '/device/questions/deploy/answer', tap_id: id(2) },
		]);
		expect(cardMemory('n1').tap).toMatchObject({
			outcome: 'called',
			message: 'Order 7 is accepted.',
		});
		await sendAll();
		expect(sent).toHaveLength(2);
	});

	it('are told to be sent later after ten seconds without an outcome', async () => {
		await keepTap(tap(1));
		await jest.advanceTimersByTimeAsync(9_999);
		expect(cardMemory('n1').tap?.outcome).toBe('pending');
		await jest.advanceTimersByTimeAsync(1);
		expect(cardMemory('n1').tap?.outcome).toBe('queued');
	});

	it('are waiting for the next page when this one is closed meanwhile', async () => {
		await keepTap(tap(1));
		expect((await load('cards'))?.n1?.tap?.outcome).toBe('queued');
		expect(await load('reports')).toEqual([tap(1)]);
	});

	it('that came too late have the question as it ended', async () => {
		await keepTap(answer(2));
		const ended = question('withdrawn');
		respond = () => Response.json({ outcome: 'refused', message: 'Withdrawn.', question: ended });
		await sendAll();
		expect(cardMemory('qdeploy').tap).toMatchObject({ outcome: 'refused', message: 'Withdrawn.' });
		expect(asAnswered(question('open'), cardMemory('qdeploy'))).toEqual(ended);
	});

	it('leave what was typed until it has been taken', async () => {
		await remember('qdeploy', { draft: 'At nine' });
		await keepTap(answer(1));
		respond = () => Response.json({ message: 'Too long.' }, { status: 400 });
		await sendAll();
		expect(cardMemory('qdeploy')).toMatchObject({ draft: 'At nine', tap: { outcome: 'failed' } });
		await keepTap(answer(2));
		respond = () =>
			Response.json({ outcome: 'answered', message: 'Done.', question: question('open') });
		await sendAll();
		expect(cardMemory('qdeploy').draft).toBeUndefined();
	});

	it('of a phone that is gone say so', async () => {
		await keepTap(tap(1));
		respond = () => Response.json({ message: 'No such phone.' }, { status: 401 });
		expect(await sendAll()).toMatchObject({ isDone: true, isDisconnected: true });
	});

	it('on a link have no result, and what the worker reports is remembered, too', async () => {
		await keepReport(tap(1, 'Look'));
		respond = () =>
			Response.json({ outcome: 'open', url: 'https://example.com', message: 'Open.' });
		await sendAll();
		expect(cardMemory('n1').tap).toBeUndefined();
		await keepReport(tap(2));
		respond = () => Response.json({ outcome: 'failed', message: 'The webhook failed.' });
		await sendAll();
		expect(cardMemory('n2').tap).toMatchObject({ outcome: 'failed', title: 'Accept' });
	});
});

describe('what is remembered of cards', () => {
	afterEach(async () => {
		await forget('cards');
		forgetCards();
	});

	it('is of the recent past', async () => {
		for (let n = 0; n <= 200; n += 1) await remember(`n${n}`, { isSeen: true });
		expect(cardMemory('n0')).toEqual({});
		for (const n of [1, 200]) expect(cardMemory(`n${n}`)).toEqual({ isSeen: true });
		expect(Object.keys((await load('cards')) ?? {})).toHaveLength(200);
	});
});
