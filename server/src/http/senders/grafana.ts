import { alertGroup, sendAlertGroup } from './alert-groups.ts';
import { authorizationKey } from './keys.ts';
import type { Sender } from './sender.ts';

/** POST /grafana: a contact point of Grafana's own alerting, of type "Webhook". */
export const grafana: Sender = {
	name: 'grafana',
	feature: 'live-activities',
	keyIn: ({ headers }) => authorizationKey(headers.authorization),
	toRefusal: ({ body }) => body,

	register(app, parts) {
		app.post('/grafana', { schema: { body: alertGroup } }, (request, reply) =>
			sendAlertGroup(parts, { request, reply }, request.body, (_group, told) => ({
				source: lasting(told?.panelURL || told?.dashboardURL) || told?.generatorURL,
				silence: told?.silenceURL,
			})),
		);
	},
};

/** Drops the end of the time range shown: it is the present, so every repeat would change the button. */
function lasting(address = ''): string | undefined {
	const url = URL.parse(address);
	url?.searchParams.delete('to');
	return url?.href;
}
