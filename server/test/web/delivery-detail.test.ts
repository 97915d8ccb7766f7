import { describe, expect, it } from '@jest/globals';
import type { HistoryDelivery } from '../../src/contract/console/history.ts';
import { deliveryDetail } from '../../web/console/components/delivery-detail.ts';
import { fullTime } from '../../web/device/relative-time.ts';

const AT = '2026-03-01T12:00:04.000Z';
const LATER = '2026-03-01T12:00:09.000Z';

const waiting: HistoryDelivery = {
	device: 'Phone',
	user: 'Ada',
	state: 'pending',
	attempts: 0,
	error: null,
	failures: [],
	advice: null,
	dismissed_at: null,
	handed_over_at: null,
	acknowledged_at: null,
	held_back: false,
};

/** The console's history: what is said of one phone, beside the state. */
describe('the detail of a delivery', () => {
	it('is empty before anything happened', () => {
		expect(deliveryDetail(waiting)).toBe('');
	});

	it('is the reason why the last attempt failed, and how many did', () => {
		const error = 'The push service answered 503';
		expect(deliveryDetail({ ...waiting, attempts: 1, error })).toBe(`${error}, 1 failed attempt`);
		expect(deliveryDetail({ ...waiting, attempts: 2, error })).toBe(`${error}, 2 failed attempts`);
	});

	it('is the time at which the push service had it, and then the phone', () => {
		expect(deliveryDetail({ ...waiting, handed_over_at: AT })).toBe(fullTime(AT));
		expect(deliveryDetail({ ...waiting, acknowledged_at: LATER })).toBe(fullTime(LATER));
		expect(deliveryDetail({ ...waiting, handed_over_at: AT, acknowledged_at: LATER })).toBe(
			`${fullTime(LATER)}, handed over ${fullTime(AT)}`,
		);
	});

	it('keeps the failed attempts of a message that arrived late', () => {
		expect(deliveryDetail({ ...waiting, attempts: 4, handed_over_at: AT })).toBe(
			`${fullTime(AT)}, 4 failed attempts`,
		);
	});

	it('is what to do, until the phone has it', () => {
		const advice = 'Pair the phone again.';
		const error = 'The push service answered 410';
		expect(deliveryDetail({ ...waiting, state: 'failed', error, advice })).toBe(
			`${error}. ${advice}`,
		);
		expect(deliveryDetail({ ...waiting, state: 'received', advice, acknowledged_at: AT })).toBe(
			fullTime(AT),
		);
	});

	it('says how it was sent, also once the phone has it', () => {
		const error = 'Sent as a notification';
		const handedOver = { ...waiting, state: 'handed_over', handed_over_at: AT, error } as const;
		const advice = 'Update a running one.';
		expect(deliveryDetail({ ...handedOver, advice })).toBe(`${fullTime(AT)}, ${error}. ${advice}`);
		expect(deliveryDetail({ ...handedOver, state: 'received', acknowledged_at: LATER })).toBe(
			`${fullTime(LATER)}, ${error}, handed over ${fullTime(AT)}`,
		);
	});

	it('says that the phone was quiet', () => {
		expect(deliveryDetail({ ...waiting, held_back: true, acknowledged_at: AT })).toBe(
			`held back, ${fullTime(AT)}`,
		);
	});
});
