import type { FastifyRequest } from 'fastify';
import { playgroundRequest, type PlaygroundRequest } from '../../contract/console/playground.ts';
import { MAX_IMAGE_BYTES } from '../../contract/images.ts';
import { toIssues } from '../../contract/issues.ts';
import { previewForPlayground, sendFromPlayground } from '../../service/playground.ts';
import { toCaller } from '../../service/people/sessions.ts';
import { storeImage } from '../../service/images.ts';
import { invalidRequest, TooManyRequests } from '../../service/refusal.ts';
import type { HttpParts } from '../parts.ts';
import { takePictures } from '../picture-bodies.ts';
import { plugin, type TypedApp } from '../typed-app.ts';
import { accountPolicy, type Feature, retryAfterSeconds } from '../rate-limit.ts';
import { actingContext, requireVisitor } from './authentication.ts';

function toFeature({ request }: PlaygroundRequest): Feature {
	switch (request) {
		case 'push':
		case 'repeated':
		case 'repeated_stop':
			return 'notifications';
		case 'badge':
			return 'badges';
		case 'metric':
			return 'metrics';
		case 'channels':
		case 'metrics':
		case 'streams':
			return 'lists';
		default:
			return 'live-activities';
	}
}

/** @throws Refusal `invalid`, in the words the request's own endpoint would use to refuse the body */
function requestIn({ body }: FastifyRequest): PlaygroundRequest {
	const parsed = playgroundRequest.safeParse(body);
	if (parsed.success) return parsed.data;
	throw invalidRequest(
		toIssues(parsed.error, body).map(({ path, message }) => ({
			path: path.replace(/^body\.?/, ''),
			message,
		})),
	);
}

/**
 * The Playground sends as the account itself, so no key has to be made, shown or kept for it. Its requests
 * count towards the account's allowance like a workflow's.
 */
export function registerPlayground(
	app: TypedApp,
	{ context, limiter, rateLimits }: HttpParts,
): void {
	app.post('/playground/preview', (request) =>
		previewForPlayground(context, requireVisitor(request).accountId, requestIn(request)),
	);
	/** @throws TooManyRequests */
	const spend = async (feature: Feature, accountId: string) => {
		const { allowed, states } = await limiter.consume([
			accountPolicy(rateLimits, feature, accountId),
		]);
		if (allowed) return;
		const seconds = retryAfterSeconds(states);
		throw new TooManyRequests(
			'Rate limit exceeded',
			`The allowance of this account is used up. It is full again in ${seconds} s.`,
			seconds,
		);
	};
	app.post('/playground/send', async (request) => {
		const sent = requestIn(request);
		const visitor = requireVisitor(request);
		await spend(toFeature(sent), visitor.accountId);
		return sendFromPlayground(actingContext(context, request), toCaller(visitor), sent);
	});
	void app.register(
		plugin('playground-images', (inside) => {
			takePictures(inside);
			inside.post('/playground/image', { bodyLimit: MAX_IMAGE_BYTES }, async (request) => {
				const visitor = requireVisitor(request);
				await spend('images', visitor.accountId);
				return storeImage(context, toCaller(visitor), request.body as Buffer | undefined);
			});
		}),
	);
}
