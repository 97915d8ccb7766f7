import type { INodeProperties } from 'n8n-workflow';

import { createReader, fillsBody, fillsPath } from '../../shared/declared/hooks';
import { successOnly, type Received } from '../../shared/declared/received';
import { metricKey, metricText } from '../../shared/fields/bounds';
import type { FieldReader } from '../../shared/fields/field-reader';
import { calls, field, operationField, sendsBy, shownFor } from '../shared/field';
import { getMany } from '../shared/get-many';
import { optionsField, parallelRequests } from '../shared/options';
import { pickedKey } from '../shared/pickers/key-field';

const resource = 'metric';

const readValue = (read: FieldReader) =>
	read.required('value', read.numberOrText('value', 'value', { text: metricText }));

/** Adds what the next node may need to the bare success. */
const withMetric: Received = async function (items) {
	const read = createReader(this);
	const metric = { key: read.text('key', 'key'), value: readValue(read) };
	return items.map(({ json }) => ({ json: { ...json, ...metric } }));
};

export const fields: INodeProperties[] = [
	operationField(resource, 'setValue', [
		getMany('metrics', 'List the metrics of the account, without their values', '/metrics'),
		{
			name: 'Set Value',
			value: 'setValue',
			action: 'Set value of metric',
			description: 'Set the latest value of a metric on the lock screen',
			routing: calls('POST', '/metrics/{key}/value', [
				successOnly('Create the metric on the server first, or correct its key.'),
				withMetric,
			]),
		},
	]),
	...shownFor({ resource: [resource], operation: ['setValue'] }, [
		field('Metric Key', 'key', {
			description:
				'The metric to set. Create it first in the console of the server, under Metrics.',
			...pickedKey('searchMetrics', { list: 'Choose a metric…', key: 'e.g. revenue.today' }),
			...sendsBy(fillsPath('key', 'key', metricKey)),
		}),
		field('Value', 'value', {
			description:
				'The latest value: a number written like 1299.5, or text of up to 64 characters, which 1,299.5 is too',
			required: true,
			placeholder: 'e.g. 1299.5',
			...sendsBy(fillsBody('value', readValue)),
		}),
	]),
];

const measuredAt = field('Measured At', 'timestamp', {
	description:
		'When the value was measured, by default now. A value older than the stored one changes nothing.',
	type: 'dateTime',
	...sendsBy(fillsBody('timestamp', (read) => read.instant('timestamp', 'options.timestamp'))),
});

export const options = [optionsField(resource, ['setValue'], [measuredAt, parallelRequests])];
