import type { INodeProperties } from 'n8n-workflow';

import { checks, fillsBody } from '../../../shared/declared/hooks';
import { deadlineSeconds } from '../../../shared/fields/bounds';
import { compact } from '../../../shared/fields/compact';
import type { FieldReader } from '../../../shared/fields/field-reader';
import { allOf, atLeast, type Rule } from '../../../shared/fields/rules';
import { choice, field, group, numeric, oneRow, sendsBy, shownIf } from '../field';
import { APPROVAL, CHOICES, readChoices } from './choices';

const AFTER_INTERVAL = 'afterTimeInterval';
const AT_TIME = 'atSpecifiedTime';

/** Units of time, in seconds. */
const UNITS: Readonly<Record<string, number>> = { minutes: 60, hours: 3_600, days: 86_400 };

const ofType = (limitType: string) => shownIf({ limitType: [limitType] });

const limitFields: INodeProperties[] = [
	field('Limit Type', 'limitType', {
		description: 'What ends the wait',
		...choice(AFTER_INTERVAL, {
			[AFTER_INTERVAL]: ['After Time Interval', 'Waits for a certain amount of time'],
			[AT_TIME]: ['At Specified Time', 'Waits until the set date and time to continue'],
		}),
	}),
	field('Amount', 'resumeAmount', {
		description: 'The time to wait: 0.5 minutes to 30 days',
		...numeric({ minValue: 0, numberPrecision: 2 }, 1),
		...ofType(AFTER_INTERVAL),
	}),
	field('Unit', 'resumeUnit', {
		description: 'The unit of the time to wait',
		...choice('hours', { minutes: 'Minutes', hours: 'Hours', days: 'Days' }),
		...ofType(AFTER_INTERVAL),
	}),
	field('Max Date and Time', 'maxDateAndTime', {
		description: 'Continue execution after the specified date and time',
		type: 'dateTime',
		...ofType(AT_TIME),
	}),
];

const { minValue, maxValue } = deadlineSeconds;

const LIMIT = 'options.limitWaitTime.values';
const DEFAULT = 'options.defaultAnswer';

function readDeadline(read: FieldReader): object | undefined {
	const limit = read.row('limitWaitTime', LIMIT);
	const choice = readDefault(read);
	if (!limit) return choice === undefined ? undefined : { after_seconds: maxValue, choice };
	if (limit.choice('limitType', 'limitType', [AFTER_INTERVAL, AT_TIME]) === AT_TIME) {
		const at = limit.instant('maxDateAndTime', 'maxDateAndTime');
		return compact({ at: limit.required('maxDateAndTime', at), choice });
	}
	const unit = limit.choice('resumeUnit', 'resumeUnit', Object.keys(UNITS)) ?? 'hours';
	const toSeconds = (amount: number) => Math.round(amount * (UNITS[unit] ?? 0));
	const isOffered: Rule<number> = (amount) =>
		toSeconds(amount) < minValue || toSeconds(amount) > maxValue
			? 'must be 30 seconds to 30 days'
			: undefined;
	const rule = allOf(atLeast(0), isOffered);
	const amount = limit.number('resumeAmount', 'resumeAmount', rule);
	return { after_seconds: toSeconds(limit.required('resumeAmount', amount) ?? 0), choice };
}

/** The id of the button that is the answer when the time is over. */
function readDefault(read: FieldReader): string | undefined {
	const choices = readChoices(read);
	if (choices.length === 0 || !read.has(DEFAULT)) return undefined;
	const label = read.text('defaultAnswer', DEFAULT);
	const found = choices.find((one) => one.label === label);
	const labels = choices.map((one) => one.label).join(', ');
	return found?.id ?? read.broken('defaultAnswer', `must be the label of a button: ${labels}`);
}

const checkDefault = checks((read) =>
	read.required(
		'defaultAnswer',
		read.text('defaultAnswer', DEFAULT),
		'must be the label of a button',
	),
);

const sendDeadline = fillsBody('deadline', readDeadline);

/** For the options; the first one in the form shared by all of n8n's send-and-wait nodes. */
export const deadlineFields = [
	field('Limit Wait Time', 'limitWaitTime', {
		description:
			'When the question ends, on the phone, too. The workflow continues with the Default Answer, or with the input alone.',
		...oneRow(
			{ values: { limitType: AFTER_INTERVAL, resumeAmount: 45, resumeUnit: 'minutes' } },
			group('Values', 'values', limitFields),
		),
		...sendsBy(sendDeadline),
	}),
	field('Default Answer', 'defaultAnswer', {
		description:
			'The label of the button that is the answer if nobody answers in time, or within 30 days',
		placeholder: 'e.g. Decline',
		...shownIf({ '/responseType': [APPROVAL, CHOICES] }),
		...sendsBy(sendDeadline, checkDefault),
	}),
];
