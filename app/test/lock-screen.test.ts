/** What leaves the lock screen, and what the person has taken off it: the app compares it with the real server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../../server/test/support/wait.ts';
import { deviceClient } from '../../server/web/device/device-client.ts';
import { narrow, outdated, type Presented, swiped } from '../src/leftovers.ts';
import { DISMISSED, readResponse } from '../src/responses.ts';
import { type Bench, FIRST_START, startBench } from './support/bench.ts';
import { sessionInMemory } from './support/memory.ts';

let bench: Bench;
const [session, other] = [sessionInMemory(), sessionInMemory()];
const TOKEN = 'ab01';
const START = 'cd01';

before(async () => {
	bench = await startBench();
	await bench.pair(session, { push_token: TOKEN, push_to_start_token: START, app: FIRST_START });
	await bench.pair(other);
});
after(() => bench[Symbol.asyncDispose]());

/** Sends a push. @returns it as Notification Center has it */
async function notify(title: string, more: object = {}): Promise<Presented> {
	await bench.push({ title, ...more });
	return { id: title, payload: await bench.notified(TOKEN, title) };
}

const put = (key: string, percentage: number, more: object = {}) =>
	bench.stream(key, { type: 'progress', title: key, percentage }, more);

test('what was dismissed elsewhere leaves Notification Center, and nothing else', async () => {
	const presented = [];
	for (const title of ['Kept', 'Dismissed', 'Asked']) presented.push(await notify(title));
	const foreign = { id: 'foreign', payload: undefined };
	const badge = { id: 'badge', payload: {} };
	const snapshot = await session.catchUp();
	assert.deepEqual(outdated([...presented, foreign, badge], snapshot), []);

	const client = deviceClient((path, init) => session.fetch(path, init));
	await client.call('PUT /preferences', { seen_once: true });
	const { notifications } = await other.catchUp();
	const { id } = notifications.find(({ push }) => push.title === 'Dismissed')!;
	await other.dismiss({ delivery_id: id });
	const newer = await notify('Newer');
	assert.deepEqual(outdated([...presented, newer], snapshot), []);
	assert.deepEqual(outdated([...presented, newer, foreign], await session.catchUp()), [
		'Dismissed',
	]);
});

test('a notification older than those that the snapshot names stays, as it may still be shown', () => {
	const named = { id: 7, sent_at: '', push: {} } as never;
	const presented = [5, 7, 8].map((id) => ({
		id: String(id),
		payload: { beckon: { delivery_id: id } },
	}));
	const snapshot = { cursor: 9, notifications: [named], questions: [], activities: [] };
	assert.deepEqual(outdated(presented, { ...snapshot, notification_count: 1 } as never), [
		'5',
		'8',
	]);
	assert.deepEqual(outdated(presented, { ...snapshot, notification_count: 2 } as never), ['8']);
});

test('a Live Activity that was swiped away is reported, and an alert shows its stream again', async () => {
	const shown = () => bench.apns.shownTo(START).map(({ payload }) => payload.aps.event);
	const { activity_id: backup } = await put('backup', 1);
	const { activity_id: deploy } = await put('deploy', 1);
	const running = async () => (await session.catchUp()).activities.map(({ activity_id: id }) => id);
	const known = narrow(narrow({}, ['a'], [backup]), ['a', 'b'], [backup, deploy]);
	assert.deepEqual(swiped(known, ['a', 'b'], await running()), []);
	// Another has started since.
	const { activity_id: scan } = await put('scan', 1);
	assert.deepEqual(swiped(known, ['b', 'c'], await running()), [backup]);
	await session.dismiss({ activity_id: backup });
	await other.dismiss({ activity_id: backup });
	assert.deepEqual(await running(), [deploy, scan]);

	const before = shown().length;
	assert.equal((await put('backup', 2)).operation, 'updated');
	const again = await put('backup', 3, { alert: { title: 'Almost' } });
	assert.equal(again.operation, 'rotated');
	await waitFor('the start', () => shown().slice(before).includes('start'));
	for (const key of ['backup', 'deploy', 'scan']) await bench.endStream(key);
});

test('one that may still be on the lock screen is not reported', () => {
	// Which of the two has left is not certain, until the other has ended.
	const known = { a: ['x', 'y'], b: ['x', 'y'] };
	assert.deepEqual(swiped(known, ['a'], ['x', 'y']), []);
	assert.deepEqual(swiped(known, [], ['x', 'y']), ['x', 'y']);
	assert.deepEqual(swiped(known, [], ['y']), ['y']);
	// One that has started since may not have arrived yet.
	assert.deepEqual(swiped({ a: ['x'] }, ['a'], ['x', 'z']), []);
	assert.deepEqual(swiped({}, [], ['x']), []);
});

test('a start that came as a notification leaves with its activity, and is dismissed as one', async () => {
	for (let n = 0; n < 10; n += 1) {
		await put(`job-${n}`, 1);
		await bench.endStream(`job-${n}`);
	}
	const instead: Presented[] = [];
	for (const key of ['ended', 'swiped']) {
		await put(key, 40);
		const payload = await bench.notified(TOKEN, key);
		assert.equal(payload.aps.alert.body, '40%');
		instead.push({ id: key, payload });
	}
	assert.deepEqual(outdated(instead, await session.catchUp()), []);
	await bench.endStream('ended', { auto_dismiss_minutes: 0 });
	assert.deepEqual(outdated(instead, await session.catchUp()), ['ended']);
	const response = readResponse(DISMISSED, instead[1]!.payload);
	assert.ok(response.kind === 'dismissal');
	await session.dismiss(response.dismissed);
	assert.deepEqual(outdated(instead, await session.catchUp()), ['ended', 'swiped']);
});

test('a Live Activity whose end was lost is told from those that run', () => {
	const first = narrow({}, ['a'], ['backup']);
	assert.deepEqual(first, { a: ['backup'] });
	// The backup has ended, and a deploy runs.
	const second = narrow(first, ['a', 'b'], ['deploy']);
	assert.deepEqual(second, { a: [], b: ['deploy'] });
	assert.deepEqual(narrow(second, ['b'], []), { b: [] });
});
