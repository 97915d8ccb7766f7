import { alertSender } from './alert-groups.ts';

/** POST /grafana: a contact point of Grafana's own alerting, of type "Webhook". */
export const grafana = alertSender('grafana', (_group, alert) => ({
	source: lasting(alert?.panelURL || alert?.dashboardURL) || alert?.generatorURL,
	silence: alert?.silenceURL,
}));

/** Drops the end of the time range shown: it is the current time, so every repeat would change the button. */
function lasting(address = ''): string | undefined {
	const url = URL.parse(address);
	url?.searchParams.delete('to');
	return url?.href;
}
