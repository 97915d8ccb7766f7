import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DecidedStreams } from '../support/decided-streams.ts';
import { device, NOW, senderWith } from '../support/decisions.ts';
import { scaled } from '../support/scaled.ts';
import { streamCommands } from '../support/stream-commands.ts';
import { Model } from '../support/stream-model.ts';

/** Each has one phone. */
const CHANNELS = ['one', 'two'];

function createReal() {
	const phones = CHANNELS.map((name) => device(name));
	const sender = senderWith(phones, {
		account: { plan: 'paid' },
		channels: Object.fromEntries(phones.map((one) => [one.id, { devices: [one] }])),
	});
	return { streams: new DecidedStreams(sender) };
}

describe('the decisions on streams, held against the model of the service', () => {
	it('are those of the model, whatever comes in whatever order', async () => {
		let steps = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.commands(streamCommands, { maxCommands: 25, size: 'max' }),
				async (commands) => {
					const audience = (slugs: string[] | null) => (slugs?.length === 1 ? 1 : 2);
					const model = new Model(NOW, audience, CHANNELS);
					await fc.asyncModelRun(() => ({ model, real: createReal() }), commands);
					steps += model.activities.length;
				},
			),
			{ numRuns: scaled(500) },
		);
		expect(steps).toBeGreaterThan(500);
	});
});
