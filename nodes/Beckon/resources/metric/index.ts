import type { INodeProperties } from 'n8n-workflow';

import { fillsBody, fillsPath } from '../../../shared/declared/hooks';
import { successOnly } from '../../../shared/declared/received';
import { metricKey } from '../../../shared/fields/bounds';
import { field, sendsBy } from '../../shared/field';
import { optionsField, parallelRequests } from '../../shared/options';
import { keyField } from '../../shared/pickers/key-field';
import { shownFor } from '../../shared/shown-for';

const showOnlyForMetrics = { resource: ['metric'] };

const showOnlyForSetValue = { ...showOnlyForMetrics, operation: ['setValue'] };

const sendValue = fillsBody('value', (read) =>
	read.required('value', read.numberOrText('value', 'value')),
);

const sendTimestamp = fillsBody('timestamp', (read) =>
	read.instant('timestamp', 'options.timestamp'),
);

export const metricFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: showOnlyForMetrics },
		options: [
			{
				name: 'Set Value',
				value: 'setValue',
				action: 'Set the value of a metric',
				description: 'Set the latest value of a metric on the lock screen',
				routing: {
					request: { method: 'POST', url: '/metrics/{key}/value' },
					output: {
						postReceive: [
							successOnly('Create the metric on the server first, or correct its key.'),
						],
					},
				},
			},
		],
		default: 'setValue',
	},
	...shownFor(showOnlyForSetValue, [
		keyField({
			displayName: 'Metric Key',
			name: 'key',
			searchListMethod: 'searchMetrics',
			listPlaceholder: 'Choose a metric…',
			keyPlaceholder: 'e.g. revenue.today',
			description: 'The key of a metric that exists on the server; it cannot be created from here',
			...sendsBy(fillsPath('key', 'key', metricKey)),
		}),
		field('Value', 'value', 'The latest value: a number, or text of up to 64 characters', {
			required: true,
			placeholder: 'e.g. 1299.5',
			...sendsBy(sendValue),
		}),
	]),
];

const measuredAt = field(
	'Measured At',
	'timestamp',
	'When the value was measured. A value older than the stored one changes nothing. If left empty, the time of arrival is used.',
	{ type: 'dateTime', ...sendsBy(sendTimestamp) },
);

export const metricOptions = [optionsField('metric', ['setValue'], [measuredAt, parallelRequests])];
