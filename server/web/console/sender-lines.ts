/** Placeholder for a key that is no longer known. */
export const NO_KEY = 'YOUR_KEY';

interface Where {
	/** The server's public address. */
	origin: string;
	key: string;
	/** One of the key's channels. */
	channel: string;
}

interface SenderLines {
	program: string;
	/** The place where the lines belong. */
	place: string;
	lines: string;
}

/** The lines to paste into each program that can send to Beckon; docs/senders.md and docs/agents.md have the same. */
export function senderLines({ origin, key, channel }: Where): SenderLines[] {
	const { protocol, host } = new URL(origin);
	const s = protocol === 'https:' ? 's' : '';
	const hook = {
		type: 'http',
		url: `${origin}/agent-hook`,
		headers: { Authorization: `Bearer ${key}`, 'User-Agent': '$AI_AGENT' },
		allowedEnvVars: ['AI_AGENT'],
		timeout: 600,
	};
	return [
		{
			program: 'Shell, cron',
			place: 'a command',
			lines: `curl -H "Authorization: Bearer ${key}" -d "Backup done" ${origin}/ntfy/${channel}`,
		},
		{
			program: 'Uptime Kuma',
			place: 'a notification of the type ntfy',
			lines: [
				`Server URL: ${origin}/ntfy`,
				`Topic: ${channel}`,
				'Authentication method: Access Token',
				`Access token: ${key}`,
			].join('\n'),
		},
		{
			program: 'Sonarr, Radarr',
			place: 'a connection of the type ntfy.sh',
			lines: [`Server URL: ${origin}/ntfy`, `Access Token: ${key}`, `Topics: ${channel}`].join(
				'\n',
			),
		},
		{
			program: 'Apprise',
			place: 'a URL',
			lines: `ntfy${s}://beckon:${key}@${host}/${channel}`,
		},
		{
			program: 'Programs that support gotify',
			place: 'their settings',
			lines: [`Server URL: ${origin}/gotify`, `Application token: ${key}`].join('\n'),
		},
		{
			program: 'Alertmanager',
			place: 'receivers in alertmanager.yml',
			lines: [
				'- name: beckon',
				'  webhook_configs:',
				`    - url: ${origin}/alertmanager`,
				'      max_alerts: 20',
				'      http_config:',
				'        authorization:',
				`          credentials: ${key}`,
			].join('\n'),
		},
		{
			program: 'Grafana',
			place: 'a contact point of the type Webhook',
			lines: [
				`URL: ${origin}/grafana`,
				'HTTP Method: POST',
				'Authorization Header - Scheme: Bearer',
				`Authorization Header - Credentials: ${key}`,
				'Max Alerts: 20',
			].join('\n'),
		},
		{
			program: 'Claude Code',
			place: '~/.claude/settings.json; the same for Notification, Stop and StopFailure',
			lines: JSON.stringify({ hooks: { PermissionRequest: [{ hooks: [hook] }] } }, null, 2),
		},
	];
}
