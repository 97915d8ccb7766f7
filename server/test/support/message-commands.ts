import { expect } from '@jest/globals';
import fc from 'fast-check';
import { command, sentTags, targets } from './stream-commands.ts';

export const METRIC_KEY = 'load';

const badge = fc.nat(9);
const devices = (slugs: string[] | undefined) => (slugs?.length === 1 ? 1 : 2);

/** Commands that send one-time messages; each checks the answer against the model. */
export const messageCommands = [
	command(
		'push',
		fc.tuple(fc.constantFrom('P', 'Q'), sentTags, targets, fc.option(badge, { nil: undefined })),
		async ([title, tags, channels, badge], { messages }, { server, key }) => {
			const target = channels && { channels };
			const request = { title, tags, target, badge };
			const answer = await server.call('POST', '/push-notification', request, { key });
			expect(answer).toMatchObject({ status: 200, body: { devices_notified: devices(channels) } });
			messages.push({ title, tags: tags ?? [], slugs: channels ?? null }, badge);
		},
	),
	command(
		'badge',
		fc.tuple(badge, targets),
		async ([badge, channels], { messages }, { server, key }) => {
			const target = channels && { channels };
			const answer = await server.call('POST', '/badge', { badge, target }, { key });
			expect(answer).toMatchObject({
				status: 200,
				body: { badge, devices_updated: devices(channels) },
			});
			messages.setBadge(badge, channels ?? null);
		},
	),
	command(
		'measure',
		fc.tuple(fc.nat(99), fc.constantFrom(0, 0, -1, -700, 5)),
		async ([value, seconds], { messages, now }, { server, key }) => {
			const at = now + seconds * 1_000;
			const request = { value, timestamp: new Date(at).toISOString() };
			const answer = await server.call('POST', `/metrics/${METRIC_KEY}/value`, request, { key });
			expect(answer).toMatchObject({ status: 200, body: { success: true } });
			messages.measure(value, at, now);
		},
	),
];
