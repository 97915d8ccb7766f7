import { type AlertGroup, alertSender } from './alert-groups.ts';

/** POST /alertmanager: a receiver of Prometheus Alertmanager, by its `webhook_configs`. */
export const alertmanager = alertSender('alertmanager', (group, alert) => ({
	source: alert?.generatorURL || group.externalURL,
	silence: silenceUrl(group),
}));

/** Alertmanager's form for a silence, filled in with what all alerts of the group share. */
function silenceUrl({ externalURL, commonLabels }: AlertGroup): string {
	const matchers = Object.entries(commonLabels).map(
		([name, value]) => `${name}=${JSON.stringify(value)}`,
	);
	const filter = encodeURIComponent(`{${matchers.join(', ')}}`);
	return `${externalURL.replace(/\/+$/, '')}/#/silences/new?filter=${filter}`;
}
