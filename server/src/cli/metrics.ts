import { metricRequest } from '../contract/console/resources.ts';
import { METRIC_FORMATS, type MetricFormat, metricKey } from '../contract/metrics.ts';
import { displayName } from '../contract/text.ts';
import { createMetric, listAccountMetrics, removeMetric } from '../service/metrics.ts';
import { requireValid } from '../service/refusal.ts';
import { accountCommand, group, listing, optional, required } from './commands.ts';

export const metric = group('metrics on lock-screen widgets', {
	create: accountCommand('create a metric, to be set through the API', {
		options: {
			key: required('--key <key>', 'its key, which requests name', metricKey),
			name: optional('--name <name>', 'its name on the phone', displayName),
			format: required<MetricFormat>('--format <format>', 'how the phone shows it')
				.choices(METRIC_FORMATS)
				.default('number'),
			unit: optional('--unit <unit>', 'unit or currency, such as ms or EUR'),
		},
		run: async (context, { id }, { key, name = key, format, unit }) => {
			const request = requireValid(metricRequest, { key, name, format, unit });
			const created = await createMetric(context, id, request);
			return { json: created, lines: [`Metric ${created.key}.`] };
		},
	}),
	remove: accountCommand('remove a metric with its values', {
		options: { key: required('--key <key>', 'its key') },
		run: async (context, { id }, { key }) => {
			await removeMetric(context, id, key);
			return { json: { removed: key }, lines: [`Metric ${key} is removed.`] };
		},
	}),
	list: accountCommand('list the metrics with their latest values', {
		run: async (context, { id }) =>
			listing(await listAccountMetrics(context, id), {
				KEY: 'key',
				NAME: 'name',
				FORMAT: 'format',
				VALUE: 'value',
				MEASURED: (entry) => entry.measured_at ?? 'never',
			}),
	}),
});
