import type { Database } from '../../store/database.ts';
import {
	claimWidgetReloads,
	forgetWidgetToken,
	markReloaded,
	markReloadForRetry,
	type WidgetReload,
} from '../../store/phones/widget-reloads.ts';
import { backoffMs } from '../backoff.ts';
import type { Outcome } from '../gateway.ts';
import type { ApnsGateway } from './gateway.ts';

const LOOK_EVERY_MS = 1_000;
const LEASE_MS = 30_000;
const CLAIMED_AT_ONCE = 500;

export interface WidgetReloadsOptions {
	database: Database;
	apns: ApnsGateway;
	now: () => number;
	/** Minimum milliseconds between two reloads of one device: iOS gives widgets a daily budget. */
	floorMs: number;
	onError: (error: unknown) => void;
}

/**
 * Reloads iPhone widgets after a metric changes. Changes in quicker succession than the floor share a reload;
 * the last one is always followed by a reload.
 */
export class WidgetReloads {
	readonly #options: WidgetReloadsOptions;
	#timer: NodeJS.Timeout | undefined;
	#round: Promise<unknown> = Promise.resolve();

	constructor(options: WidgetReloadsOptions) {
		this.#options = options;
	}

	start(): void {
		this.#timer = setInterval(() => {
			this.#round = this.#round.then(() => this.runOnce()).catch(this.#options.onError);
		}, LOOK_EVERY_MS);
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await this.#round;
	}

	/** @returns the number of reloads attempted */
	async runOnce(): Promise<number> {
		const { database, now } = this.#options;
		const reloads = await database.write(null, (db) =>
			claimWidgetReloads(db, { now: now(), leaseMs: LEASE_MS, limit: CLAIMED_AT_ONCE }),
		);
		await Promise.all(reloads.map((reload) => this.#reload(reload)));
		return reloads.length;
	}

	async #reload(reload: WidgetReload): Promise<void> {
		const { database, apns, now, floorMs } = this.#options;
		const at = now();
		const outcome = await apns
			.reloadWidgets(reload.push_environment, reload.token)
			.catch((error: unknown): Outcome => ({ kind: 'retry', reason: String(error) }));
		await database.write(null, async (db) => {
			if (outcome.kind === 'no_token') await forgetWidgetToken(db, reload.device_id, reload.token);
			else if (outcome.kind === 'retry') {
				const wait = Math.max(backoffMs(reload.attempts + 1), outcome.retryAfterMs ?? 0);
				await markReloadForRetry(db, reload.device_id, now() + wait);
			} else await markReloaded(db, reload, at + floorMs);
		});
	}
}
