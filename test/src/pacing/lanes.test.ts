import { Cancellation, WaitCancelled } from '../../../src/rules/cancellation.ts';
import { Lanes } from '../../../src/rules/pacing/lanes.ts';

/** Tasks that end on demand, and the list of those begun. */
function setUp() {
	const lanes = new Lanes();
	const begun: string[] = [];
	const ends = new Map<string, () => void>();
	const begin = async (name: string, key?: string, signal?: AbortSignal) => {
		await lanes.inTurn(key, new Cancellation(signal), async () => {
			begun.push(name);
			await new Promise<void>((end) => ends.set(name, end));
		});
	};
	const settle = async () => await new Promise(setImmediate);
	return { begun, ends, begin, settle };
}

test('one after another for the same thing, side by side for others', async () => {
	const { begun, ends, begin, settle } = setUp();
	const all = [begin('a1', 'a'), begin('a2', 'a'), begin('b1', 'b'), begin('free')];
	await settle();
	expect(begun).toEqual(['a1', 'b1', 'free']);

	ends.get('a1')?.();
	await settle();
	expect(begun).toEqual(['a1', 'b1', 'free', 'a2']);

	for (const end of ends.values()) end();
	await Promise.all(all);
});

test('cancelling ends the waiting at once, and lets nobody overtake', async () => {
	const { begun, ends, begin, settle } = setUp();
	const stop = new AbortController();
	const first = begin('1', 'a');
	const second = begin('2', 'a', stop.signal).catch((error: unknown) => error);
	const third = begin('3', 'a');
	await settle();

	stop.abort();

	expect(await second).toBeInstanceOf(WaitCancelled);
	await settle();
	expect(begun).toEqual(['1']);
	ends.get('1')?.();
	await settle();
	expect(begun).toEqual(['1', '3']);
	ends.get('3')?.();
	await Promise.all([first, third]);
});
