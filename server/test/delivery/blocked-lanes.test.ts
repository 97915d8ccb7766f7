import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BlockedLanes } from '../../src/delivery/blocked-lanes.ts';
import type { OutgoingDelivery } from '../../src/store/outbox/deliveries.ts';

const LIMIT_MS = 30_000;

describe('lanes that are held up', () => {
	let now: number;
	beforeEach(() => {
		now = 1_000;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
	});
	afterEach(() => void jest.restoreAllMocks());

	const inLane = (id: string) =>
		({ device: { id }, message: { lane: 'badge' } }) as unknown as OutgoingDelivery;

	it('are forgotten when they are settled, or when another process must have settled them', () => {
		const lanes = new BlockedLanes(LIMIT_MS);
		lanes.add([inLane('a'), inLane('b'), inLane('c')]);
		expect(lanes.settle(inLane('a'))).toBe(true);
		expect(lanes.settle(inLane('a'))).toBe(false);
		expect(lanes.size).toBe(2);
		now += LIMIT_MS;
		// Claimed again, it counts from now.
		lanes.add([inLane('b')]);
		now += 1;
		expect(lanes.size).toBe(1);
		expect(lanes.settle(inLane('c'))).toBe(false);
		expect(lanes.settle(inLane('b'))).toBe(true);
	});
});
