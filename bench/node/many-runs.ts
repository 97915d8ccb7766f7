import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { OURS, send } from './contestants.ts';
import { heapBytes } from './heap.ts';
import { median } from './statistics.ts';

/** Runs whose figures are compared, at the start and at the end. */
const COMPARED = 1_000;

const ITEMS = [{ title: 'one' }, { title: 'two' }, { title: 'three' }];

interface Thousand {
	/** Median milliseconds of a run. */
	time: number;
	/** Bytes in use, after the garbage was collected. */
	heap: number;
	/** What keeps the process alive: timers, sockets and the like. */
	resources: number;
}

export interface ManyRuns {
	first: Thousand;
	last: Thousand;
	/** Pushes sent, less those that arrived. */
	missing: number;
}

/** Runs a workflow with three pushes over and over in this process, against a server that only answers. */
export async function measureManyRuns(count: number): Promise<ManyRuns> {
	let requests = 0;
	const server = createServer((request, response) => {
		requests += 1;
		request.resume().once('end', () => {
			response.setHeader('content-type', 'application/json').end('{"success":true}');
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const target = { baseUrl: `http://127.0.0.1:${port}/api`, apiKey: 'bk_fake' };
	let times: number[] = [];
	const run = async (runs: number): Promise<void> => {
		times = [];
		for (let done = 0; done < runs; done += 1) {
			const { milliseconds } = await send(OURS, { title: '={{ $json.title }}' }, ITEMS, target);
			times.push(milliseconds);
		}
	};
	const thousand = async (): Promise<Thousand> => {
		await run(COMPARED);
		const time = median(times);
		return {
			time,
			heap: await heapBytes(),
			resources: process.getActiveResourcesInfo().length,
		};
	};
	try {
		const first = await thousand();
		await run(count - 2 * COMPARED);
		const last = await thousand();
		return { first, last, missing: count * ITEMS.length - requests };
	} finally {
		server.close();
		server.closeAllConnections();
	}
}
