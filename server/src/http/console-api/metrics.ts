import { metricRequest } from '../../contract/console/resources.ts';
import { metricParams } from '../../contract/metrics.ts';
import { createMetric, metricsForConsole, removeMetric } from '../../service/metrics.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { acting, requireVisitor } from './authentication.ts';

export function registerConsoleMetrics(app: TypedApp, { context }: HttpParts): void {
	app.get('/metrics', (request) => metricsForConsole(context, requireVisitor(request).accountId));
	app.post('/metrics', { schema: { body: metricRequest } }, (request) =>
		createMetric(...acting(context, request), request.body),
	);
	app.delete('/metrics/:key', { schema: { params: metricParams } }, (request) =>
		removeMetric(...acting(context, request), request.params.key).then(toSuccess),
	);
}
