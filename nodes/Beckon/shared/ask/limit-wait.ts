import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';

import { checks } from '../../../shared/declared/hooks';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { atLeast, oneOf } from '../../../shared/fields/rules';
import { choice, field, group, numeric, oneRow, sendsBy, shownIf } from '../field';

const AFTER_INTERVAL = 'afterTimeInterval';
const AT_TIME = 'atSpecifiedTime';

const MINUTE = 60_000;

const UNITS: Readonly<Record<string, number>> = {
	minutes: MINUTE,
	hours: 60 * MINUTE,
	days: 24 * 60 * MINUTE,
};

const ofType = (limitType: string) => shownIf({ limitType: [limitType] });

const limitFields: INodeProperties[] = [
	field('Limit Type', 'limitType', {
		description: 'What ends the wait',
		...choice(AFTER_INTERVAL, [
			{
				name: 'After Time Interval',
				value: AFTER_INTERVAL,
				description: 'Waits for a certain amount of time',
			},
			{
				name: 'At Specified Time',
				value: AT_TIME,
				description: 'Waits until the set date and time to continue',
			},
		]),
	}),
	field('Amount', 'resumeAmount', {
		description: 'The time to wait',
		...numeric({ minValue: 0, numberPrecision: 2 }, 1),
		...ofType(AFTER_INTERVAL),
	}),
	field('Unit', 'resumeUnit', {
		description: 'The unit of the time to wait',
		...choice('hours', [
			{ name: 'Minutes', value: 'minutes' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Days', value: 'days' },
		]),
		...ofType(AFTER_INTERVAL),
	}),
	field('Max Date and Time', 'maxDateAndTime', {
		description: 'Continue execution after the specified date and time',
		type: 'dateTime',
		...ofType(AT_TIME),
	}),
];

/** For the options, in the form shared by all of n8n's send-and-wait nodes. */
export const limitWaitTimeField = field('Limit Wait Time', 'limitWaitTime', {
	description: 'When to stop waiting for a response and continue with the input alone',
	...oneRow(
		{ values: { limitType: AFTER_INTERVAL, resumeAmount: 45, resumeUnit: 'minutes' } },
		group('Values', 'values', limitFields),
	),
	...sendsBy(checks(readWaitTill)),
});

/** The time at which the execution stops waiting for an answer. */
export function readWaitTill(read: FieldReader, now = Date.now()): Date {
	const limit = read.row('limitWaitTime', 'options.limitWaitTime.values');
	if (!limit) return WAIT_INDEFINITELY;
	if (limit.text('limitType', 'limitType', oneOf([AFTER_INTERVAL, AT_TIME])) === AT_TIME) {
		const at = limit.required('maxDateAndTime', limit.instant('maxDateAndTime', 'maxDateAndTime'));
		return at === undefined ? WAIT_INDEFINITELY : new Date(at);
	}
	const amount = limit.number('resumeAmount', 'resumeAmount', atLeast(0)) ?? 1;
	const unit = limit.text('resumeUnit', 'resumeUnit', oneOf(Object.keys(UNITS))) ?? 'hours';
	return new Date(now + amount * (UNITS[unit] ?? MINUTE));
}
