import type { FastifyRequest } from 'fastify';
import type { Context } from '../../service/context.ts';
import { Refusal } from '../../service/refusal.ts';
import { KEY_PREFIX } from '../../service/secrets.ts';
import { errorAnswer } from '../errors.ts';
import { Gate, knownCaller } from '../gate.ts';
import type { HttpParts } from '../parts.ts';
import { accountPolicy, type Feature, type Policy, type RateLimitSettings } from '../rate-limit.ts';
import { plugin, type TypedApp } from '../typed-app.ts';
import { alertmanager } from './alertmanager.ts';
import { gotify } from './gotify.ts';
import { grafana } from './grafana.ts';
import { ntfy } from './ntfy.ts';
import type { Sender } from './sender.ts';

/** The routes of programs that speak ntfy, gotify, or the webhooks of Alertmanager and Grafana (docs/senders.md). */
export async function registerSenders(app: TypedApp, parts: HttpParts): Promise<void> {
	const { context, rateLimits } = parts;
	for (const sender of [ntfy, gotify, alertmanager, grafana]) {
		const gate = new Gate(parts, {
			kind: 'sender',
			keyIn: sender.keyIn,
			unauthorized,
			policies: (feature, accountId) => [
				accountPolicy(rateLimits, feature, accountId),
				sendersPolicy(rateLimits, feature, accountId),
			],
		});
		await app.register(
			plugin(`sender-${sender.name}`, (routes) => {
				refuseInOwnFormat(routes, context, sender);
				gate.guard(routes, sender.feature);
				sender.register(routes, { context, gate });
			}),
		);
	}
}

/** All senders together get half of the account's allowance: a noisy one never stops the workflows. */
function sendersPolicy(settings: RateLimitSettings, feature: Feature, accountId: string): Policy {
	const quota = Math.max(1, Math.floor(settings.perAccount[feature] / 2));
	return { name: `senders:${feature}`, subject: accountId, quota };
}

function unauthorized(key: string | undefined): Refusal {
	return new Refusal(
		'unauthorized',
		'Unauthorized',
		key?.startsWith(KEY_PREFIX.api)
			? 'This is an API key. Create a sender key in the console, or with beckon-server key create --sender.'
			: 'The sender key is missing, wrong or revoked.',
	);
}

/** Answers errors in the sender's format, and keeps each request's outcome for the key's page. */
function refuseInOwnFormat(routes: TypedApp, context: Context, sender: Sender): void {
	const refusals = new WeakMap<FastifyRequest, string>();
	routes.setErrorHandler((error: Parameters<typeof errorAnswer>[0], request, reply) => {
		const answer = errorAnswer(error, request);
		refusals.set(request, answer.body.message);
		reply
			.status(answer.status)
			.headers(answer.headers ?? {})
			.send(sender.toRefusal(answer));
	});
	routes.addHook('onResponse', (request, _reply, done) => {
		const keyId = knownCaller(request)?.keyId;
		if (keyId) context.requests.noteKeyUse(keyId, refusals.get(request));
		done();
	});
}
