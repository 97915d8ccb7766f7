import { systemClock } from '../../src/n8n/transport.ts';
import { Cancellation, WaitCancelled } from '../../src/rules/cancellation.ts';
import { wait } from '../../src/rules/wait.ts';

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

test('it waits the time', async () => {
	const done = jest.fn();
	void wait(2500, new Cancellation(), systemClock).then(done);

	await jest.advanceTimersByTimeAsync(2400);
	expect(done).not.toHaveBeenCalled();
	await jest.advanceTimersByTimeAsync(100);
	expect(done).toHaveBeenCalled();
});

test('cancelling ends it at once, and leaves nothing behind for long', async () => {
	const stop = new AbortController();
	const waiting = wait(300_000, new Cancellation(stop.signal), systemClock).catch(
		(error: unknown) => error,
	);
	await jest.advanceTimersByTimeAsync(10);

	stop.abort();

	expect(await waiting).toBeInstanceOf(WaitCancelled);
	await jest.advanceTimersByTimeAsync(1000);
	expect(jest.getTimerCount()).toBe(0);
});

test('a wait that begins after the cancellation does not begin', async () => {
	await expect(
		wait(1000, new Cancellation(AbortSignal.abort()), systemClock),
	).rejects.toBeInstanceOf(WaitCancelled);
	expect(jest.getTimerCount()).toBe(0);
});
