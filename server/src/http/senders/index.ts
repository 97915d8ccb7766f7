import type { SenderPath } from '../../contract/values.ts';
import { responseTo } from '../errors.ts';
import { Gate } from '../gate.ts';
import { type HttpParts, plugin, type TypedApp } from '../typed-app.ts';
import { agentHook } from './agent-hook/index.ts';
import { gotify } from './gotify.ts';
import { grafana, alertmanager } from './alert-groups.ts';
import { ntfy } from './ntfy.ts';
import type { Sender } from './sender.ts';

const SENDERS: Record<SenderPath, Sender> = {
	ntfy,
	gotify,
	alertmanager,
	grafana,
	'agent-hook': agentHook,
};

/** The routes of programs that support ntfy, gotify, or the webhooks of Alertmanager and Grafana (docs/senders.md). */
export async function registerSenders(app: TypedApp, parts: HttpParts): Promise<void> {
	const { context } = parts;
	for (const sender of Object.values(SENDERS))
		await app.register(
			plugin(`sender-${sender.name}`, (routes) => {
				refuseInOwnFormat(routes, sender);
				const gate = new Gate(routes, parts, 'sender', sender.keyIn);
				routes.addHook('onRequest', async (request, reply) => {
					await gate.admit(request, reply, sender.feature);
				});
				sender.register(routes, { context, gate });
			}),
		);
}

function refuseInOwnFormat(routes: TypedApp, sender: Sender): void {
	routes.setErrorHandler((error: Parameters<typeof responseTo>[0], request, reply) => {
		const response = responseTo(error, request);
		reply
			.status(response.status)
			.headers(response.headers ?? {})
			.send(sender.toRefusal(response));
	});
}
