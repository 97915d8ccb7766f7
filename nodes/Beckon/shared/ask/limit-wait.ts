import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';

import { checks } from '../../../shared/declared/hooks';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { atLeast, oneOf } from '../../../shared/fields/rules';

const AFTER_INTERVAL = 'afterTimeInterval';
const AT_TIME = 'atSpecifiedTime';

const MINUTE = 60_000;

const UNITS: Readonly<Record<string, number>> = {
	minutes: MINUTE,
	hours: 60 * MINUTE,
	days: 24 * 60 * MINUTE,
};

/** For the options, in the form shared by all of n8n's send-and-wait nodes. */
export const limitWaitTimeField: INodeProperties = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	description:
		'Whether to limit the time this node should wait for a user response before execution resumes. It then goes on with its input, without a response.',
	default: { values: { limitType: AFTER_INTERVAL, resumeAmount: 45, resumeUnit: 'minutes' } },
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Limit Type',
					name: 'limitType',
					type: 'options',
					default: AFTER_INTERVAL,
					options: [
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
					],
					description: 'What ends the wait',
				},
				{
					displayName: 'Amount',
					name: 'resumeAmount',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 1,
					displayOptions: { show: { limitType: [AFTER_INTERVAL] } },
					description: 'The time to wait',
				},
				{
					displayName: 'Unit',
					name: 'resumeUnit',
					type: 'options',
					default: 'hours',
					options: [
						{ name: 'Minutes', value: 'minutes' },
						{ name: 'Hours', value: 'hours' },
						{ name: 'Days', value: 'days' },
					],
					displayOptions: { show: { limitType: [AFTER_INTERVAL] } },
					description: 'The unit of the time to wait',
				},
				{
					displayName: 'Max Date and Time',
					name: 'maxDateAndTime',
					type: 'dateTime',
					default: '',
					displayOptions: { show: { limitType: [AT_TIME] } },
					description: 'Continue execution after the specified date and time',
				},
			],
		},
	],
	routing: { send: { preSend: [checks(readWaitTill)] } },
};

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
