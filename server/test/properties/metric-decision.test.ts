import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { metricValueRequest } from '../../src/contract/metrics.ts';
import { decideMetricValue } from '../../src/service/metrics.ts';
import { accepted, decision } from '../../src/store/engine/sets.ts';
import { caller, NOW } from '../support/decisions.ts';
import { MessageModel } from '../support/message-model.ts';
import { scaled } from '../support/scaled.ts';

fc.configureGlobal({ numRuns: scaled(100) });

const SECOND = 1_000;

/** Values with the seconds since they were measured; negative: a clock that is fast. */
const values = fc.array(
	fc.record({
		value: fc.nat(9),
		age: fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }),
	}),
);

const asked = ({ value, age }: { value: number; age?: number | undefined }) => ({
	caller: caller(),
	key: 'cpu',
	request: metricValueRequest.parse({
		value,
		...(age !== undefined && { timestamp: new Date(NOW - age * SECOND).toISOString() }),
	}),
});

const metric = (measured_at: number | null = null) => ({
	account_id: 'acc',
	key: 'cpu',
	measured_at,
});

describe('values that are decided together', () => {
	it('leave the one measured last, and store none measured before another', () => {
		fc.assert(
			fc.property(values, (values) => {
				const model = new MessageModel([]);
				const stored = metric();
				const newest = accepted(
					values.map((value) => decision(() => decideMetricValue(stored, asked(value), NOW))),
				).filter((value) => value !== undefined);
				for (const { value, age = 0 } of values) model.measure(value, NOW - age * SECOND, NOW);
				const last = newest.at(-1);
				expect(last && { value: JSON.parse(last.value_json), at: last.measured_at }).toEqual(
					model.metric,
				);
				const times = newest.map(({ measured_at: at }) => at);
				expect(times).toEqual(times.toSorted((a, b) => a - b));
				expect(stored.measured_at).toBe(model.metric?.at ?? null);
			}),
		);
	});

	it('are newer than all before them where they have no time, though another clock was ahead', () => {
		const stored = metric(NOW + SECOND);
		expect(decideMetricValue(stored, asked({ value: 1 }), NOW)).toMatchObject({
			measured_at: NOW + SECOND,
		});
		expect(decideMetricValue(stored, asked({ value: 2, age: 0 }), NOW)).toBeUndefined();
	});

	it('are refused without their metric', () => {
		expect(() => decideMetricValue(undefined, asked({ value: 1 }), NOW)).toThrow(
			'There is no metric with the key cpu.',
		);
	});
});
