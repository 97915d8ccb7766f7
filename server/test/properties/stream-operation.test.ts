import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { streamOperation, type StreamSituation } from '../../src/service/streams/change.ts';
import { scaled } from '../support/scaled.ts';

fc.configureGlobal({ numRuns: scaled(100) });

const situation: fc.Arbitrary<StreamSituation> = fc.record({
	isPaused: fc.boolean(),
	hasActivity: fc.boolean(),
	age: fc.oneof(fc.constantFrom(0, 100, 101, Infinity), fc.nat(200)),
	rotationAge: fc.constant(100),
	typeChanged: fc.boolean(),
	audienceChanged: fc.boolean(),
	nothingChanged: fc.boolean(),
	alertSent: fc.boolean(),
	isDismissed: fc.boolean(),
});

const decide = (certain: Partial<StreamSituation>, rest: StreamSituation) =>
	streamOperation({ ...rest, ...certain });

describe('which operation a stream gets', () => {
	it('is paused before anything else', () => {
		fc.assert(
			fc.property(situation, (rest) => expect(decide({ isPaused: true }, rest)).toBe('paused')),
		);
	});

	it('is started where there is no activity, whatever has changed', () => {
		fc.assert(
			fc.property(situation, (rest) =>
				expect(decide({ isPaused: false, hasActivity: false }, rest)).toBe('started'),
			),
		);
	});

	it('is rotated for age, type, audience, or an alert that nobody would see, even where nothing else has changed', () => {
		const running = { isPaused: false, hasActivity: true };
		fc.assert(
			fc.property(
				situation,
				fc.constantFrom(
					{ age: 101 },
					{ age: Infinity },
					{ typeChanged: true },
					{ audienceChanged: true },
					{ isDismissed: true, alertSent: true },
				),
				(rest, reason) => expect(decide({ ...running, ...reason }, rest)).toBe('rotated'),
			),
		);
	});

	it('is noop only for a young activity that nothing would change, without an alert', () => {
		const same = { isPaused: false, hasActivity: true, typeChanged: false, audienceChanged: false };
		fc.assert(
			fc.property(situation, fc.nat(100), (rest, age) => {
				expect(decide({ ...same, age, nothingChanged: true, alertSent: false }, rest)).toBe('noop');
				const shown = { ...same, age, isDismissed: false };
				expect(decide({ ...shown, nothingChanged: true, alertSent: true }, rest)).toBe('updated');
				expect(decide({ ...shown, nothingChanged: false }, rest)).toBe('updated');
			}),
		);
	});
});
