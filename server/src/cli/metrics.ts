import { type Command, Option } from 'commander';
import { metricRequest } from '../contract/console/resources.ts';
import { METRIC_FORMATS, type MetricFormat, metricKey } from '../contract/metrics.ts';
import { givenName } from '../contract/text.ts';
import { createMetric, listAccountMetrics } from '../service/metrics.ts';
import { requireFitting } from '../service/refusal.ts';
import { fitting, ofAccount, type OfAccount, onAccount, table } from './run.ts';

export function addMetricCommands(program: Command): void {
	const metric = program.command('metric').description('metrics on lock-screen widgets');

	ofAccount(metric.command('create').description('create a metric, whose value the API then sets'))
		.requiredOption('--key <key>', 'its key, which requests name', fitting(metricKey))
		.option('--name <name>', 'its name on the phone', fitting(givenName))
		.addOption(
			new Option('--format <format>', 'how the phone shows it')
				.choices(METRIC_FORMATS)
				.default('number'),
		)
		.option('--unit <unit>', 'unit or currency, such as ms or EUR')
		.action(
			(options: OfAccount & { key: string; name?: string; format: MetricFormat; unit?: string }) =>
				onAccount(options, async (context, { id }) => {
					const { key, name = key, format, unit } = options;
					const request = requireFitting(metricRequest, { key, name, format, unit });
					const created = await createMetric(context, id, request);
					return { json: created, lines: [`Metric ${created.key}.`] };
				}),
		);

	ofAccount(metric.command('list').description('list the metrics with their latest values')).action(
		(options: OfAccount) =>
			onAccount(options, async (context, { id }) => {
				const metrics = await listAccountMetrics(context, id);
				return {
					json: metrics,
					lines: table(
						['KEY', 'NAME', 'FORMAT', 'VALUE', 'MEASURED'],
						metrics.map((entry) => [
							entry.key,
							entry.name,
							entry.format,
							`${entry.value ?? ''}`,
							entry.measured_at ?? 'never',
						]),
					),
				};
			}),
	);
}
