import { metricError } from '../../contract/errors.ts';
import { metricParams, metricValueRequest, metricValueResponse } from '../../contract/metrics.ts';
import type { Context } from '../../service/context.ts';
import { setMetric } from '../../service/metrics.ts';
import type { TypedApp } from '../typed-app.ts';
import { commonAnswers } from './answers.ts';
import { requireCaller } from '../gate.ts';

export function registerMetrics(app: TypedApp, context: Context): void {
	app.post(
		'/metrics/:key/value',
		{
			schema: {
				operationId: 'updateMetricValue',
				summary: 'Set the latest value of a metric',
				tags: ['Metrics'],
				params: metricParams,
				body: metricValueRequest,
				response: {
					200: metricValueResponse,
					...commonAnswers,
					400: metricError,
					404: metricError,
				},
			},
		},
		(request) => setMetric(context, requireCaller(request), request.params.key, request.body),
	);
}
