import type { Delivery } from '../../server/src/contract/device.ts';
import { TestServer } from '../../test/engine/server.ts';
import {
	HTTP_REQUEST_FIELDS,
	HTTP_REQUEST_JSON,
	OURS,
	send,
	type Contestant,
	type Fields,
	type Target,
} from './contestants.ts';
import { ENGINES, useEngine, type Engine } from './expression-engines.ts';
import { median } from './statistics.ts';

/** Pushes by number of expressions; all values are flat. */
const PUSHES: ReadonlyArray<{ expressions: number; fields: Fields }> = [
	{ expressions: 0, fields: { title: 'New order' } },
	{ expressions: 1, fields: { title: '={{ $json.title }}' } },
	{
		expressions: 4,
		fields: {
			title: '={{ $json.title }}',
			message: '={{ $json.message }}',
			subtitle: '={{ $json.subtitle }}',
			redirection: '={{ $json.url }}',
		},
	},
];

const itemsOf = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		title: `Push ${index + 1}`,
		message: '3 books for 42 €',
		subtitle: 'Shop',
		url: `https://example.com/orders/${index + 1}`,
	}));

/** The times of one kind of push, in milliseconds, by contestant. */
export interface Cell {
	engine: Engine;
	expressions: number;
	times: Map<string, number[]>;
}

export interface Unlimited {
	cells: Cell[];
	/** Pushes of this node missing from the phone's inbox, and those in it more than once. */
	lost: number;
	duplicates: number;
}

/** The median of the repetitions' ratios: this node ÷ the other one. */
export function ratioTo({ times }: Cell, other: string): number {
	const theirs = times.get(other) ?? [];
	return median((times.get(OURS.name) ?? []).map((time, index) => time / (theirs[index] ?? NaN)));
}

/**
 * Times the same pushes through all nodes in turn, starting with another one each time.
 * @param others further contestants, such as an earlier build of this node
 */
export async function measureUnlimited(
	count: number,
	repetitions: number,
	others: readonly Contestant[] = [],
): Promise<Unlimited> {
	const server = await TestServer.start({
		BECKON_RATE_NOTIFICATIONS: '10000000',
		BECKON_RATE_PER_ADDRESS: '10000000',
	});
	try {
		const { key: apiKey, phone } = await server.seedDemo();
		const target = { baseUrl: server.baseUrl, apiKey };
		const contestants = [OURS, HTTP_REQUEST_JSON, HTTP_REQUEST_FIELDS, ...others];
		const cells: Cell[] = [];
		for (const engine of ENGINES) {
			useEngine(engine);
			for (const { expressions, fields } of PUSHES) {
				const times = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
				for (const contestant of contestants) await timed(contestant, fields, 100, target);
				for (let repetition = 0; repetition < repetitions; repetition += 1) {
					for (const contestant of turned(contestants, repetition)) {
						times.get(contestant.name)?.push(await timed(contestant, fields, count, target));
					}
				}
				cells.push({ engine, expressions, times });
			}
		}
		const { cursor: before } = await phone.snapshot();
		await timed(OURS, { title: '={{ $json.title }}' }, count, target);
		return { cells, ...missingAndTwice(await phone.inbox(before), count) };
	} finally {
		await server.stop();
	}
}

const turned = <T>(values: readonly T[], by: number): T[] => {
	const start = by % values.length;
	return [...values.slice(start), ...values.slice(0, start)];
};

async function timed(
	contestant: Contestant,
	fields: Fields,
	count: number,
	target: Target,
): Promise<number> {
	const { run, milliseconds } = await send(contestant, fields, itemsOf(count), target);
	if (run.status !== 'success') throw new Error(`${contestant.name} failed: ${run.error?.message}`);
	return milliseconds;
}

function missingAndTwice(deliveries: readonly Delivery[], count: number) {
	const titles = deliveries.map((delivery) =>
		delivery.kind === 'push' ? delivery.push.title : '',
	);
	const arrived = new Set(titles).size;
	return { lost: count - arrived, duplicates: titles.length - arrived };
}
