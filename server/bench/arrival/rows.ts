import { setTimeout } from 'node:timers/promises';
import type { Cluster } from '../../test/support/postgres-cluster.ts';
import type { World } from '../../test/faults/support/world.ts';
import type { PushFault } from '../../test/gateways/support/push-service.ts';
import type { Through } from './proxy.ts';

/** What the function of a row can use. */
interface Stage {
	world: World;
	cluster: Cluster | undefined;
	/** 1 in the long form; the short form does the same in less time. */
	scale: number;
	/** Records an outage: what is accepted meanwhile is measured from its end. */
	outage: (during: () => Promise<unknown>) => Promise<void>;
	/** Opens the phone's page for a moment, as a person does, which subscribes again. */
	lookAtPhone: () => Promise<void>;
	/** Resolves when the pushes have been sent. */
	isOver: () => boolean;
}

export interface Scenario {
	/** The proxy before the page; absent: no page is open. */
	page?: Through;
	/** Milliseconds by which the page acknowledges late. */
	late?: number;
	/** The push service's fault, during the whole row. */
	service?: PushFault;
	/** What happens while pushes are sent. */
	events?: (stage: Stage) => Promise<void>;
	/** Only with this store. */
	store?: 'postgres';
}

const OUTAGE_MS = 5_000;

/** In the middle of the pushes. */
const BEFORE_MS = 8_000;

async function restart({ world, outage }: Stage): Promise<void> {
	await setTimeout(BEFORE_MS);
	await outage(async () => {
		world.server?.signal('SIGKILL');
		await world.server?.finished;
		await setTimeout(OUTAGE_MS);
		await world.start();
	});
}

async function failOver({ cluster, outage }: Stage): Promise<void> {
	await setTimeout(BEFORE_MS);
	await outage(async () => {
		await cluster?.halt('crash');
		await setTimeout(OUTAGE_MS);
		await cluster?.resume();
	});
}

/** Without a subscription, only the opened page shows what came meanwhile: the time until then counts as an outage. */
async function openNowAndThen({ scale, outage, lookAtPhone, isOver }: Stage): Promise<void> {
	while (!isOver()) {
		await outage(() => setTimeout(20_000 * scale));
		await lookAtPhone();
	}
}

/** @param scale factor for the times of the proxies */
export const scenarios = (scale: number): Record<string, Scenario> => ({
	'half-open connection': { page: { freezesAfter: 5_000 } },
	'change of address': { page: { freezesAfter: 15_000 * scale, moves: true } },
	'proxy that buffers 64 KiB': { page: { holds: 65_536 } },
	'proxy that cuts after 100 s': { page: { cutsAfter: 100_000 * scale } },
	'push service answers 410': { service: { status: 410 }, events: openNowAndThen },
	'push service answers 429': { service: { status: 429, retryAfter: '30' } },
	'push service answers 500': { service: { status: 500 } },
	'push service answers nothing': { service: 'silence' },
	'page acknowledges late, as a hidden tab': { page: {}, late: 15_000 },
	'server restarted': { page: {}, events: restart },
	'PostgreSQL failed over': { page: {}, events: failOver, store: 'postgres' },
});

/** The rows of the short form: one about pages, one about push services, one about stores. */
export const SHORT = ['half-open connection', 'push service answers 500', 'PostgreSQL failed over'];
