import type { INodeProperties } from 'n8n-workflow';

import { sendItems, type Operation } from '../../shared/send-items';
import { setValueCall, setValueFields, setValueOptions } from './set-value';

const showOnlyForMetrics = { resource: ['metric'] };

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
			},
		],
		default: 'setValue',
	},
	...setValueFields,
];

export const metricOptions = [setValueOptions];

export const metricOperations: Record<string, Operation> = {
	setValue: sendItems(setValueCall),
};
