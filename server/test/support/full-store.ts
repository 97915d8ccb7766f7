import { randomUUID } from 'node:crypto';
import { inviteMember } from '../../src/service/people/join.ts';
import { createApiKey } from '../../src/service/keys-and-channels/api-keys.ts';
import { storeImage } from '../../src/service/images/images.ts';
import { createMetric } from '../../src/service/metrics.ts';
import { createPairCode } from '../../src/service/phones/pairing.ts';
import { loadVapidKeys } from '../../src/delivery/webpush/vapid.ts';
import { signedIn } from '../console/support/console.ts';
import { STATES } from './samples.ts';
import type { TestServer } from './server.ts';

/** Uses the server until every table has rows. */
export async function fillStore(server: TestServer): Promise<void> {
	const { context, account } = server;
	await server.addChannel('ops', { users: ['owner'], devices: [server.phone.id] });
	// Lists of what was made at the same time have any order.
	server.clock.advance(1);
	await server.addKey(account.id, ['ops']);
	const ios = await server.pairPhone({ platform: 'ios', name: 'iPhone' });
	await ios.call('PUT', '/tokens', { push_token: 'device', widget_token: 'widgets' });
	// A push that this phone holds back makes a summary.
	await ios.call('PUT', '/quiet/mute', { mute: 'hour', time_zone: 'Europe/Berlin' });
	await createPairCode(context, account.id, 'owner');
	await createMetric(context, account.id, { key: 'cpu', name: 'CPU', format: 'number' });
	await server.call('POST', '/metrics/cpu/value', { value: 42 });
	const push = {
		title: 'Ünïcode 🚀',
		message: 'Line\nline',
		tags: ['ops'],
		metadata: { build: 7 },
	};
	await server.call('POST', '/push-notification/repeated', {
		push: { title: 'Again' },
		repeat: { every_minutes: 60, times: 1 },
	});
	const actions = [{ title: 'Open', type: 'open_url', url: 'https://example.com' }];
	await server.call('POST', '/push-notification', { ...push, actions });
	const delivery = (await server.phone.inbox()).at(-1);
	await server.phone.call('PUT', '/channels/ops', { muted: true });
	await server.phone.call('POST', '/taps', {
		tap_id: randomUUID(),
		delivery_id: delivery.id,
		action: 0,
	});
	await ios.call('PUT', '/quiet/mute', { mute: 'hour', time_zone: 'Europe/Berlin' });
	await server.call('POST', '/push-notification', { title: 'Later' });
	const { id: snoozed } = (await server.phone.inbox()).at(-1);
	const later = { delivery_id: snoozed, until: 'hour', time_zone: 'Europe/Berlin' };
	await server.phone.call('POST', '/snoozes', later);
	const choices = [{ id: 'yes', title: 'Yes' }];
	await server.call('POST', '/questions', { title: 'Go?', choices, answerable_by: ['owner'] });
	const trigger = `trg_${'a'.repeat(22)}`;
	await server.call('PUT', `/triggers/${trigger}`, { name: 'Ship', session: 'a'.repeat(16) });
	const url = `https://beckon.example.com/api/triggers/${trigger}`;
	const start = [{ title: 'Ship', type: 'webhook', url }];
	await server.call('POST', '/push-notification', { title: 'Start', actions: start });
	const { id: started } = (await server.phone.inbox()).at(-1);
	const tapped = { tap_id: randomUUID(), delivery_id: started, action: 0 };
	await server.phone.call('POST', '/taps', tapped);
	const sender = { name: 'git', channels: ['ops'], sender: true, markdown: true };
	server.clock.advance(1);
	await createApiKey(context, account.id, sender);
	const keyed = { headers: { 'idempotency-key': 'held-back', 'x-sequence-id': 'held-back' } };
	await server.call('POST', '/push-notification', { title: 'Held back' }, keyed);
	await server.call('PUT', '/live-activity/stream/backup', { content_state: STATES.progress });
	await server.call('POST', '/live-activity/start', { content_state: STATES.progress });
	await storeImage(
		{ ...context, settings: { ...context.settings, publicUrl: 'https://beckon.example.com' } },
		{ accountId: account.id, keyId: null, channels: null },
		Buffer.from('GIF89a\x00\xff', 'latin1'),
	);
	// Only Apple makes channels.
	const channel = { activity_id: 'act', environment: 'sandbox' as const, channel_id: 'apple' };
	await context.database.write(null, (db) =>
		db
			.insertInto('broadcast_channels')
			.values({ ...channel, created_at: 0 })
			.execute(),
	);
	await signedIn(server);
	await inviteMember(context, account.id, { role: 'member' });
	await loadVapidKeys(context.database);
	await context.requests.flush();
}
