import { expect } from '@jest/globals';
import fc from 'fast-check';
import { repeats } from '../../src/service/sending/repeats.ts';
import { settleDue } from './later.ts';
import type { TestPhone, TestServer } from './server.ts';
import { command, sentTags, targets } from './stream-commands.ts';
import type { StreamService } from './stream-service.ts';

export interface Real {
	server: TestServer;
	accountId: string;
	key: string;
	streams: StreamService;
	/** The first is in channel `one`, the second in `two`. */
	phones: [TestPhone, TestPhone];
}

export const METRIC_KEY = 'load';

export const CHANNEL_OF_PHONE = ['one', 'two'];

const badge = fc.nat(9);
const devices = (slugs: string[] | undefined) => (slugs?.length === 1 ? 1 : 2);

/** Commands that send one-time messages; each checks the answer against the model. */
export const messageCommands = [
	command(
		'push',
		fc.tuple(fc.constantFrom('P', 'Q'), sentTags, targets, fc.option(badge, { nil: undefined })),
		async ([title, tags, channels, badge], { messages }, { server, key }: Real) => {
			const target = channels && { channels };
			const request = { title, tags, target, badge };
			const answer = await server.call('POST', '/push-notification', request, { key });
			expect(answer).toMatchObject({ status: 200, body: { devices_notified: devices(channels) } });
			messages.push({ title, tags: tags ?? [], slugs: channels ?? null }, badge);
		},
	),
	command(
		'repeat',
		fc.tuple(fc.constantFrom('P', 'R'), targets, fc.constantFrom(1, 10), fc.constantFrom(1, 3)),
		async ([title, channels, minutes, times], { messages, now }, { server, key }: Real) => {
			const target = channels && { channels };
			const request = { push: { title, target }, repeat: { every_minutes: minutes, times } };
			const answer = await server.call('POST', '/push-notification/repeated', request, { key });
			expect(answer).toMatchObject({ status: 200, body: { devices_notified: devices(channels) } });
			const push = { title, tags: [], slugs: channels ?? null };
			messages.repeat(push, { every: minutes * 60_000, times }, now);
		},
	),
	command(
		'come again',
		fc.constant(null),
		async (_nothing, { messages, now }, { server }: Real) => {
			await settleDue(server.context, repeats);
			messages.deliverRepeats(now);
		},
	),
	command('clear', fc.constantFrom(0, 1), async (index, { messages }, { phones }: Real) => {
		const phone = phones[index];
		const { cursor } = await phone.snapshot();
		await phone.call('POST', '/notifications/clear', { up_to: cursor });
		messages.react(CHANNEL_OF_PHONE[index]!);
	}),
	command(
		'badge',
		fc.tuple(badge, targets),
		async ([badge, channels], { messages }, { server, key }: Real) => {
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
		async ([value, seconds], { messages, now }, { server, key }: Real) => {
			const at = now + seconds * 1_000;
			const request = { value, timestamp: new Date(at).toISOString() };
			const answer = await server.call('POST', `/metrics/${METRIC_KEY}/value`, request, { key });
			expect(answer).toMatchObject({ status: 200, body: { success: true } });
			messages.measure(value, at, now);
		},
	),
];
