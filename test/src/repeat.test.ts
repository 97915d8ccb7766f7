import type { Answer } from '../../src/rules/answer.ts';
import { isRepeatable, toSubject } from '../../src/rules/call.ts';
import { codeIn, isUnknown, sendRepeatedly } from '../../src/rules/repeat.ts';

const success: Answer = { status: 200, headers: {}, body: { success: true } };

const failed = (status: number, body = {}, headers = {}): Answer => ({ status, headers, body });

const broken = (code: string) => Object.assign(new Error(code), { code });

/** Sends against a list of answers and errors. */
async function send(
	outcomes: Array<Answer | Error>,
	repeatable: boolean,
	longestWait = 300_000,
	more: { awaitsServer?: boolean; run?: { awaySince?: number } } = {},
) {
	const waits: number[] = [];
	let attempts = 0;
	const attempt = async () => {
		const outcome = outcomes[attempts] ?? success;
		attempts += 1;
		if (outcome instanceof Error) throw outcome;
		return outcome;
	};
	const outcome = await sendRepeatedly(attempt, {
		isRepeatable: repeatable,
		longestWait,
		run: {},
		wait: async (milliseconds) => void waits.push(milliseconds),
		now: () => waits.reduce((sum, one) => sum + one, 0),
		...more,
	}).catch((error: unknown) => error);
	return { outcome, waits };
}

test.each([502, 503, 504].map((status) => failed(status)))(
	'status $status is tried again where that cannot duplicate',
	async (answer) => {
		expect(await send([answer], true)).toEqual({ outcome: success, waits: [500] });
		expect(await send([answer], false)).toEqual({ outcome: answer, waits: [] });
	},
);

test.each(['ECONNRESET', 'ETIMEDOUT'])('%s may have arrived', async (code) => {
	expect((await send([broken(code)], true)).outcome).toBe(success);
	expect((await send([broken(code)], false)).outcome).toMatchObject({ code });
});

test('a refused connection has carried nothing, so anything is tried again', async () => {
	expect((await send([broken('ECONNREFUSED')], false)).outcome).toBe(success);
});

test.each(['CERT_HAS_EXPIRED', 'ERR_INVALID_URL', 'ERR_CANCELED', 'ENOTFOUND'])(
	'%s does not pass',
	async (code) => {
		expect((await send([broken(code)], true)).outcome).toMatchObject({ code });
	},
);

test.each([
	failed(500),
	failed(400),
	failed(502, { error: 'Badge update failed', code: 'badge_device_disconnected' }),
])('an answer that time does not change is final', async (answer) => {
	expect(await send([answer], true)).toEqual({ outcome: answer, waits: [] });
});

test('the attempts are few, and the last failure is reported', async () => {
	const { outcome, waits } = await send(Array<Answer>(9).fill(failed(503)), true);

	expect(outcome).toEqual(failed(503));
	expect(waits).toEqual([500, 1000, 2000]);
});

test('a stated pause counts, unless it is longer than the user wants to wait', async () => {
	const busy = failed(503, {}, { 'retry-after': '7' });

	expect((await send([busy], true)).waits).toEqual([7000]);
	expect((await send([busy], true, 5000)).outcome).toBe(busy);
});

const notStored = (headers = {}) =>
	failed(503, { error: 'Stopping', message: 'Nothing was stored.', code: 'not_stored' }, headers);

test('what the server has not stored is sent again, whatever it is, within the wait', async () => {
	expect((await send(Array<Answer>(5).fill(notStored()), false)).waits).toEqual([
		500, 1000, 2000, 2000, 2000,
	]);
	const away = Array<Answer>(99).fill(notStored({ 'retry-after': '5' }));
	expect((await send(away, false, 12_000)).waits).toEqual([5000, 5000]);
	expect((await send(away, false, Infinity)).waits).toHaveLength(60);
});

describe('a server that is not there', () => {
	const awaitsServer = true;

	test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])(
		'is waited for, whatever is sent: %s',
		async (code) => {
			const away = Array<Error>(30).fill(broken(code));
			expect((await send(away, false, 60_000, { awaitsServer })).outcome).toBe(success);
			expect((await send(away, false, 10_000, { awaitsServer })).outcome).toMatchObject({ code });
		},
	);

	test('is waited for by its proxy, too, where that cannot duplicate', async () => {
		const away = Array<Answer>(30).fill({ ...failed(502), body: '<html>' });
		expect((await send(away, true, 60_000, { awaitsServer })).outcome).toBe(success);
		expect((await send(away, false, 60_000, { awaitsServer })).waits).toEqual([]);
	});

	test('is given up after five minutes without a limit, and soon where a person watches', async () => {
		const away = Array<Error>(999).fill(broken('ECONNREFUSED'));
		const { waits } = await send(away, false, Infinity, { awaitsServer });
		expect(waits.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(295_000);
		expect((await send(away, false, Infinity)).waits).toEqual([500, 1000, 2000]);
	});

	test('is waited for once by the calls of a run, and anew when it was back', async () => {
		const away = Array<Error>(999).fill(broken('ECONNREFUSED'));
		const run = {};
		await send(away, false, 60_000, { awaitsServer, run });
		expect((await send(away, false, 0, { awaitsServer, run })).waits).toEqual([]);
		await send([failed(400)], false, 60_000, { awaitsServer, run });
		expect(run).toEqual({ awaySince: undefined });
	});
});

test.each<[object, string | undefined]>([
	[{ httpCode: null, cause: broken('ECONNREFUSED') }, 'ECONNREFUSED'],
	// In n8n 1, an error has no cause.
	[{ httpCode: 'ECONNREFUSED', cause: undefined }, 'ECONNREFUSED'],
	[{ httpCode: '404' }, undefined],
])("the system's code is found in %j", (error, code) => {
	expect(codeIn(error)).toBe(code);
});

test('what the server has not stored cannot have arrived', () => {
	expect(isUnknown({ answer: notStored() })).toBe(false);
	expect(isUnknown({ answer: failed(503) })).toBe(true);
	expect(isUnknown({ answer: failed(502, { error: 'x', code: 'not_stored' }) })).toBe(true);
});

test.each<[string, 'POST' | 'PUT' | 'DELETE', object, boolean, string | undefined]>([
	['/push-notification', 'POST', {}, false, undefined],
	['/live-activity/start', 'POST', {}, false, undefined],
	['/live-activity/update', 'POST', { activity_id: 'x' }, false, 'activity x'],
	['/live-activity/end', 'POST', { activity_id: 'x' }, false, 'activity x'],
	['/live-activity/stream/s', 'PUT', {}, true, '/live-activity/stream/s'],
	[
		'/live-activity/stream/s',
		'PUT',
		{ content_state: { type: 'timer', is_running: true } },
		true,
		'/live-activity/stream/s',
	],
	[
		'/live-activity/stream/s',
		'PUT',
		{ content_state: { duration_seconds: 60 } },
		false,
		'/live-activity/stream/s',
	],
	['/live-activity/stream/s', 'PUT', { alert: { title: 'A' } }, false, '/live-activity/stream/s'],
	['/live-activity/stream/s', 'DELETE', {}, false, '/live-activity/stream/s'],
	['/metrics/m/value', 'POST', {}, true, '/metrics/m/value'],
	['/badge', 'POST', {}, true, '/badge'],
])('%s by %s with %j', (path, method, body, repeatable, subject) => {
	const call = { method, path, body: { ...body } };

	expect(isRepeatable(call)).toBe(repeatable);
	expect(toSubject(call)).toBe(subject);
});
