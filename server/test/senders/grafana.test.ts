import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestServer } from '../support/server.ts';
import { basic, newest, send, startWithKey } from './support/send.ts';

/** Derived from published source; each file names it. */
function fixture(name: string): any {
	return JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8'));
}

let server: TestServer;
let key: string;
beforeEach(async () => {
	({ server, key } = await startWithKey());
});
afterEach(() => server.close());

describe('a webhook of Grafana’s alerting', () => {
	const { firing, resolved } = fixture('grafana-webhook.json').requests;

	it('starts a Live Activity with the panel and the silence form', async () => {
		const { status } = await send(server, '/grafana', { key, body: firing });
		expect(status).toBe(200);
		expect(await newest(server)).toMatchObject({
			kind: 'activity_start',
			activity: {
				content_state: {
					title: 'High memory usage',
					subtitle: '1 firing since 2026-03-01 11:40 UTC',
					message: 'web-1 uses 94 % of its memory',
					badge: { title: '1 firing', color: 'orange' },
				},
				action: {
					title: 'Open',
					url: 'https://grafana.example.com/d/servers?from=1772361600000&orgId=1&viewPanel=2',
				},
				secondary_action: { title: 'Silence', url: firing.alerts[0].silenceURL },
			},
			alert: { title: 'High memory usage' },
		});
	});

	it('changes nothing when it is repeated, although its links end at the present', async () => {
		await send(server, '/grafana', { key, body: firing });
		const later = JSON.parse(JSON.stringify(firing).replaceAll('1772366400000', '1772370000000'));
		const { body } = await send(server, '/grafana', { key, body: later });
		expect(body.operation).toBe('noop');
	});

	it('ends the Live Activity in green', async () => {
		await send(server, '/grafana', { key, body: firing });
		const headers = { authorization: basic('beckon', key) };
		const { body } = await send(server, '/grafana', { headers, body: resolved });
		expect(body.operation).toBe('ended');
		expect((await newest(server)).activity.content_state.color).toBe('green');
	});

	it('is refused with words that Grafana logs', async () => {
		const { status, body } = await send(server, '/grafana', { key, body: { alerts: [] } });
		expect(status).toBe(400);
		expect(body.message).toContain('groupKey is required');
	});
});

describe('a notification of Uptime Kuma', () => {
	const { ntfy, gotify } = fixture('uptime-kuma.json').requests;

	it.each(['/', '/ntfy'])('arrives through its ntfy at %s', async (url) => {
		const { status } = await send(server, url, { key, body: ntfy });
		expect(status).toBe(200);
		expect((await newest(server)).push).toMatchObject({
			title: '🔴 Website Down [Uptime-Kuma]',
			message: 'connect ECONNREFUSED 192.0.2.10:443',
			interruption_level: 'time-sensitive',
			tags: ['red_circle'],
			actions: [{ title: 'Open Website', type: 'open_url', url: 'https://example.com' }],
		});
	});

	it('arrives through its gotify', async () => {
		const { status } = await send(server, `/gotify/message?token=${key}`, { body: gotify });
		expect(status).toBe(200);
		expect((await newest(server)).push).toMatchObject({
			title: 'Uptime-Kuma',
			message: '[Website] [🔴 Down] connect ECONNREFUSED 192.0.2.10:443',
			interruption_level: 'time-sensitive',
		});
	});
});
