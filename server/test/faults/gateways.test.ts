import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../gateways/support/apns.ts';
import { scaled } from '../support/scaled.ts';
import { HANGS_MS, waitFor } from '../support/wait.ts';
import { holdPromises } from './support/promises.ts';
import { Sender } from './support/sender.ts';
import { createWorld, type World } from './support/world.ts';

/** The load continues until this many requests have met a fault, up to the time limit. */
const FAULTS = scaled(2_000);
/** Share of requests that meet a fault. */
const FAULTY = 0.3;

const APNS_FAULTS: Fault[] = [
	{ status: 429, reason: 'TooManyRequests', retryAfter: 1 },
	{ status: 500, reason: 'InternalServerError' },
	{ status: 503, reason: 'ServiceUnavailable', retryAfter: 2 },
	{ status: 403, reason: 'ExpiredProviderToken' },
	{ delayMs: 300 },
	'reset stream',
	'reset after taking',
	'goaway',
	'cut connection',
];
const PUSH_FAULTS = [
	{ status: 429, retryAfter: '1' },
	{ status: 500 },
	{ status: 502 },
	'cut connection',
] as const;

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

let world: World;
beforeAll(async () => {
	world = await createWorld(6, 3);
	await world.start();
});
afterAll(() => world.close());

describe('push services that fail under load', () => {
	it('leave every phone showing what was accepted, in order, with nothing left running', async () => {
		let faults = 0;
		const isFaulty = () => {
			const faulty = Math.random() < FAULTY;
			if (faulty) faults += 1;
			return faulty;
		};
		world.apns.fault = () => (isFaulty() ? oneOf(APNS_FAULTS) : undefined);
		world.pushService.fault = () => (isFaulty() ? oneOf(PUSH_FAULTS) : undefined);

		const limit = Date.now() + HANGS_MS;
		const during = async (work: (round: number) => Promise<void>) => {
			for (let round = 1; faults < FAULTS && Date.now() < limit; round += 1) await work(round);
		};
		const pushers = Array.from({ length: 3 }, (_, n) => new Sender(world, `pusher ${n}`));
		const streamers = Array.from({ length: 4 }, (_, n) => new Sender(world, `streamer ${n}`));
		const badger = new Sender(world, 'badger');
		const senders = [...pushers, ...streamers, badger];
		await Promise.all([
			...pushers.map((sender) => during(() => sender.push())),
			during(() => badger.badge()),
			...streamers.map((sender, index) =>
				during((round) =>
					round % 12 === 0 ? sender.end(`stream-${index}`) : sender.update(`stream-${index}`),
				),
			),
			outages(),
		]);
		for (const [index, sender] of streamers.entries()) await sender.end(`stream-${index}`);

		world.apns.fault = undefined;
		world.pushService.fault = undefined;
		await waitFor('all deliveries', isSettled);
		await waitFor('the ends that wait for tokens', hasNoQueue);
		const answered = senders.reduce((sum, sender) => sum + sender.answered, 0);
		process.stdout.write(`${answered} requests answered 200, ${faults} faults\n`);
		expect(faults).toBeGreaterThanOrEqual(FAULTS);
		expect(world.apns.refusals).toEqual([]);
		expect(world.pushService.mistakes).toEqual([]);
		holdPromises(world, senders);
	});
});

async function isSettled(): Promise<boolean> {
	if ((await world.pending()) === 0) return true;
	await world.endWaits();
	await new Promise((resolve) => setTimeout(resolve, 500));
	return false;
}

/** Takes APNs down for a second, twice. */
async function outages(): Promise<void> {
	for (let outage = 0; outage < 2; outage += 1) {
		await new Promise((resolve) => setTimeout(resolve, 6_000));
		await world.apns.close();
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		await world.apns.listen();
	}
}

/** True if every phone was told the end of each activity it started. */
function hasNoQueue(): boolean {
	return world.phones.every((phone) =>
		[...phone.activities.values()].every((trace) => trace.at(-1)?.event === 'end'),
	);
}
