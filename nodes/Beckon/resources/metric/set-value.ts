import type { INodeProperties } from 'n8n-workflow';

import type { BeckonCall } from '../../../../src/call';
import { compact } from '../../../../src/compact';
import type { FieldReader } from '../../../../src/field-reader';
import { metricKey } from '../../../../src/rules';
import { parallelRequests, type OperationOptions } from '../../shared/options';
import { pathOf } from '../../shared/paths';
import { shownFor } from '../../shared/shown-for';

const showOnlyForSetValue = { resource: ['metric'], operation: ['setValue'] };

export const setValueFields = shownFor(showOnlyForSetValue, [
	{
		displayName: 'Metric Key',
		name: 'key',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. revenue.today',
		description: 'The key of a metric that exists on the server; it cannot be created from here',
	},
	{
		displayName: 'Value',
		name: 'value',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 1299.5',
		description: 'The latest value: a number, or a text of up to 64 characters',
	},
]);

const measuredAt: INodeProperties = {
	displayName: 'Measured At',
	name: 'timestamp',
	type: 'dateTime',
	default: '',
	description:
		'When the value was measured. An older value than the stored one changes nothing. When left empty, it is the moment of arrival.',
};

export const setValueOptions: OperationOptions = {
	resource: 'metric',
	operation: 'setValue',
	fields: [measuredAt, parallelRequests],
};

/** service-api.md section 8. */
export function setValueCall(read: FieldReader): BeckonCall {
	const key = read.required('key', read.text('key', 'key', metricKey));
	return {
		method: 'POST',
		path: `/metrics${pathOf(key, 'value')}`,
		body: compact({
			value: read.required('value', read.numberOrText('value', 'value')),
			timestamp: read.instant('timestamp', 'options.timestamp'),
		}),
		whenNotFound: 'Create the metric on the server first, or correct its key.',
	};
}
