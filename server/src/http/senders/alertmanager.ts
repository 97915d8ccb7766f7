import { type AlertGroup, alertGroup, sendAlertGroup } from './alert-groups.ts';
import { authorizationKey } from './keys.ts';
import type { Sender } from './sender.ts';

/** POST /alertmanager: a receiver of Prometheus Alertmanager, by its `webhook_configs`. */
export const alertmanager: Sender = {
	name: 'alertmanager',
	feature: 'live-activities',
	keyIn: ({ headers }) => authorizationKey(headers.authorization),
	toRefusal: ({ body }) => body,

	register(app, parts) {
		app.post('/alertmanager', { schema: { body: alertGroup } }, (request, reply) =>
			sendAlertGroup(parts, { request, reply }, request.body, (group, told) => ({
				source: told?.generatorURL || group.externalURL,
				silence: silenceUrl(group),
			})),
		);
	},
};

/** Alertmanager's form for a silence, filled in with what all alerts of the group share. */
function silenceUrl({ externalURL, commonLabels }: AlertGroup): string {
	const matchers = Object.entries(commonLabels).map(
		([name, value]) => `${name}=${JSON.stringify(value)}`,
	);
	const filter = encodeURIComponent(`{${matchers.join(', ')}}`);
	return `${externalURL.replace(/\/+$/, '')}/#/silences/new?filter=${filter}`;
}
