import { describe, expect, it } from '@jest/globals';
import { TapOutcomes } from '../../src/service/taps/outcomes.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';

const RESPONSE = { outcome: 'called' as const, message: 'Done.' };

describe('outcomes of called webhooks while the store fails', () => {
	it('are kept until they are stored, and no further webhook is called beyond a thousand', async () => {
		const errors: unknown[] = [];
		const outcomes = new TapOutcomes({
			elapsed: () => performance.now(),
			onError: (error) => errors.push(error),
		});
		let isAway = true;
		const stored: string[] = [];
		const call = (tap: string) =>
			outcomes.callAndStore(tap, async () => ({
				response: RESPONSE,
				store: async () => {
					if (isAway) throw new StoreUnavailableError('away');
					stored.push(tap);
				},
			}));
		for (let n = 1; n <= 1_000; n += 1) {
			outcomes.requireRoom();
			expect(await call(`phone ${n}`)).toEqual(RESPONSE);
		}
		expect(() => outcomes.requireRoom()).toThrow(StoreUnavailableError);
		expect(outcomes.unstoredResponse('phone 1')).toEqual(RESPONSE);
		expect(errors).toHaveLength(1_000);

		isAway = false;
		await outcomes.idle();
		expect(new Set(stored).size).toBe(1_000);
		expect(stored).toHaveLength(1_000);
		expect(outcomes.unstoredResponse('phone 1')).toBeUndefined();
		outcomes.requireRoom();
	});
});
