import { TestServer } from '../../test/engine/server.ts';
import { HTTP_REQUEST, OURS, send, type Contestant, type Target } from './contestants.ts';
import { median } from './statistics.ts';

export interface Unlimited {
	/** Milliseconds of each repetition. */
	ours: number[];
	theirs: number[];
	/** The median of the repetitions' ratios: ours ÷ theirs. */
	ratio: number;
}

/** Times the same pushes through both nodes by turns, each beginning as often as the other. */
export async function measureUnlimited(count: number, repetitions: number): Promise<Unlimited> {
	const server = await TestServer.start({
		BECKON_RATE_NOTIFICATIONS: '10000000',
		BECKON_RATE_PER_ADDRESS: '10000000',
	});
	try {
		const { key: apiKey } = await server.seedDemo();
		const target = { baseUrl: server.baseUrl, apiKey };
		for (const contestant of [OURS, HTTP_REQUEST]) await timed(contestant, 100, target);

		const ours: number[] = [];
		const theirs: number[] = [];
		for (let repetition = 0; repetition < repetitions; repetition += 1) {
			const isOursFirst = repetition % 2 === 0;
			if (isOursFirst) ours.push(await timed(OURS, count, target));
			theirs.push(await timed(HTTP_REQUEST, count, target));
			if (!isOursFirst) ours.push(await timed(OURS, count, target));
		}
		return {
			ours,
			theirs,
			ratio: median(ours.map((time, index) => time / (theirs[index] ?? NaN))),
		};
	} finally {
		await server.stop();
	}
}

async function timed(contestant: Contestant, count: number, target: Target): Promise<number> {
	const items = Array.from({ length: count }, (_, index) => ({ title: `Push ${index + 1}` }));
	const { run, milliseconds } = await send(contestant, items, target);
	if (run.status !== 'success') throw new Error(`${contestant.name} failed: ${run.error?.message}`);
	return milliseconds;
}
