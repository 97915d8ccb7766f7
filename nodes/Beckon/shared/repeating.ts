import type { INodeProperties } from 'n8n-workflow';

import { fillsBody } from '../../shared/declared/hooks';
import { timesBounds } from '../../shared/fields/bounds';
import { within } from '../../shared/fields/rules';
import { field, group, numeric, oneRow, sendsBy } from './field';

/** An option that delivers something again every few minutes. @param property its place in the request, and its name */
export function repeatingField(
	displayName: string,
	property: string,
	everyBounds: { minValue: number; maxValue: number },
	description: string,
): INodeProperties {
	const fields = [
		field('Every (Minutes)', 'everyMinutes', {
			description: 'Minutes between two deliveries',
			...numeric(everyBounds, 5),
		}),
		field('Maximum Repeats', 'times', {
			description: 'How many times to deliver it again at most',
			...numeric(timesBounds, 3),
		}),
	];
	const send = fillsBody(property, (read) => {
		const row = read.row(property, `options.${property}.values`);
		const everyMinutes = row?.wholeNumber('every_minutes', 'everyMinutes', within(everyBounds));
		const times = row?.wholeNumber('times', 'times', within(timesBounds));
		row?.required('every_minutes', everyMinutes);
		row?.required('times', times);
		return { every_minutes: everyMinutes, times };
	});
	return field(displayName, property, {
		description,
		...oneRow({ values: { everyMinutes: 5, times: 3 } }, group('Values', 'values', fields)),
		...sendsBy(send),
	});
}
