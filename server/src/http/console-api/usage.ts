import { planRequest, type UsageAnswer } from '../../contract/console/history.ts';
import { changePlan } from '../../service/accounts/accounts.ts';
import { loadUsage } from '../../service/accounts/usage.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { accountPolicy, FEATURES } from '../rate-limit.ts';
import { acting, onlyOwner, requireVisitor } from './authentication.ts';

export function registerUsage(app: TypedApp, { context, limiter, rateLimits }: HttpParts): void {
	app.get('/usage', async (request): Promise<UsageAnswer> => {
		const { accountId } = requireVisitor(request);
		const states = await limiter.peek(
			FEATURES.map((feature) => accountPolicy(rateLimits, feature, accountId)),
		);
		return {
			...(await loadUsage(context, accountId)),
			window_seconds: rateLimits.windowSeconds,
			allowances: states.map(({ policy, remaining, resetSeconds }, index) => ({
				feature: FEATURES[index] ?? policy.name,
				quota: policy.quota,
				remaining,
				reset_seconds: resetSeconds,
			})),
		};
	});
	app.put('/plan', { onRequest: onlyOwner, schema: { body: planRequest } }, (request) =>
		changePlan(...acting(context, request), request.body).then(toSuccess),
	);
}
