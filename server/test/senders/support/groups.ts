/** A webhook's body as Alertmanager sends it, with one alert for each severity. */
export function group(
	severities: readonly string[],
	{ name = 'DiskFull', ...more }: { name?: string } & Record<string, unknown> = {},
) {
	const status = more['status'] ?? 'firing';
	return {
		version: '4',
		groupKey: `{}:{alertname="${name}"}`,
		truncatedAlerts: 0,
		status,
		receiver: 'beckon',
		groupLabels: { alertname: name },
		commonLabels: { alertname: name, job: 'node' },
		commonAnnotations: {},
		externalURL: 'http://alertmanager.example.com:9093',
		alerts: severities.map((severity, index) => ({
			status,
			labels: { alertname: name, job: 'node', instance: `web-${index + 1}`, severity },
			annotations: { summary: `web-${index + 1} is full` },
			startsAt: `2026-03-01T11:${10 + index}:00.000Z`,
			endsAt: status === 'resolved' ? '2026-03-01T12:30:00Z' : '0001-01-01T00:00:00Z',
			generatorURL: `http://prometheus.example.com:9090/graph?g0.expr=${index}`,
			fingerprint: `f${index}`,
		})),
		...more,
	};
}
