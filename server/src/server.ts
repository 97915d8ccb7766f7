import { fstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DAY_MS, HOUR_MS, isDoneWithin, MINUTE_MS, TEN_MINUTES_MS } from './durations.ts';
import { createContext, openGateways } from './assembly.ts';
import { type Config, ConfigError, toStoreLocation } from './config.ts';
import { createApp } from './http/app.ts';
import { listenForMetrics, ServerMetrics } from './prometheus.ts';
import { type RegularWork, scheduleTasks, type Task } from './regular-work.ts';
import { deleteOldAuditEntries } from './service/audit.ts';
import { deleteOldHistory, rememberedClockGuard } from './service/upkeep/retention.ts';
import { firstSetupLink } from './service/people/join.ts';
import type { Context } from './service/context.ts';
import { pruneUnusedImages } from './service/images/images.ts';
import { laterKinds } from './service/later/kinds.ts';
import { Later } from './service/later/later.ts';
import { deleteUnusedTriggers } from './service/triggers/taps.ts';
import type { Migrated } from './store/database.ts';
import { openDatabase } from './store/open.ts';
import { watchTasks } from './watch.ts';
import { skipAssignedIds } from './store/outbox/deliveries.ts';

/**
 * The drain counts only steps in which the process ran: had it stalled, as on a busy disk, requests would have
 * arrived on connections that are closed before anybody reads them.
 */
const DRAIN_STEP_MS = 100;

/** Milliseconds that webhooks get once the server must stop; their outcome must still be recorded. */
const WEBHOOK_GRACE_MS = 2_000;

/** Milliseconds that a failed start has to close what it opened; its error is reported after that. */
const GIVE_UP_MS = 4_000;

/** Reacts to changes another process makes in the store. @returns a function that stops it */
export function followOthers(context: Context): () => void {
	const { database, outbox, openPages, questionWaits, triggerWaits, cancellations } = context;
	return database.onRemoteChange((change) => {
		outbox.remoteChange(change);
		openPages.remoteChange(change);
		questionWaits.remoteChange(change);
		triggerWaits.remoteChange(change);
		cancellations.remoteChange(change);
	});
}

const CLOCK_AHEAD =
	'The clock is ahead of the last known time by more than a day: it was changed, or no server ran. Deletion is paused for a day.';

interface RunningServer {
	/** `http://host:port` the server listens on. */
	url: string;
	/** What the start has migrated. */
	migrated: Migrated | undefined;
	/** Lets one person become the first owner; undefined if one exists. */
	setupToken: string | undefined;
	/**
	 * Finishes requests, records the outcome of deliveries, closes the store.
	 * @param drainMs milliseconds in which `/readyz` fails and everything else goes on; a second call ends them
	 */
	close(drainMs?: number): Promise<void>;
	/** The step `close` is waiting for; undefined before and after. */
	readonly closing: string | undefined;
	/** Number of called webhooks whose outcome is not stored yet. */
	readonly unstoredOutcomes: number;
}

/**
 * Connections that wait to be accepted, one in each turn of the event loop. Beyond it, Linux drops what a client sends
 * to connect, and the client sends it again after a second. Linux itself allows no more by default.
 */
const BACKLOG = 4_096;

/** The first socket that a service manager passes on (sd_listen_fds(3)). */
const FIRST_SOCKET = 3;

/**
 * Where to listen: at the socket that the service manager has opened (cli/beckon.socket), in which connections
 * wait while the server restarts; otherwise at the address of the settings.
 */
function listenAt({ BECKON_HOST: host, BECKON_PORT: port }: Config) {
	const { LISTEN_PID, LISTEN_FDS } = process.env;
	if (LISTEN_PID !== `${process.pid}`) return { host, port, backlog: BACKLOG };
	if (LISTEN_FDS !== '1')
		throw new ConfigError(
			`The service manager passed ${LISTEN_FDS} sockets (LISTEN_FDS), but Beckon listens on one. Keep a single ListenStream= in its socket unit.`,
		);
	if (!isSocket(FIRST_SOCKET))
		throw new ConfigError(
			'The file descriptor from the service manager (LISTEN_FDS) is not a socket. Set ListenStream= in its socket unit to a TCP address, or unset LISTEN_FDS and LISTEN_PID.',
		);
	return { fd: FIRST_SOCKET };
}

function isSocket(fd: number): boolean {
	try {
		return fstatSync(fd).isSocket();
	} catch {
		// It is not open.
		return false;
	}
}

/** What a server has opened, and how it ends: the newest is closed first. */
class OpenParts {
	/** Aborted when the end begins, and after the drain. */
	readonly stopping = new AbortController();
	readonly stopped = new AbortController();
	/** The part that `close` is waiting for. */
	closing: string | undefined;
	readonly #parts: Array<[what: string, end: () => unknown]> = [];
	/** Ends the drain at once. */
	readonly #hurry = new AbortController();
	#closed: Promise<void> | undefined;

	add(what: string, end: () => unknown): void {
		this.#parts.push([what, end]);
	}

	/** See `RunningServer`. @throws the first failure of a part, once all are closed */
	close(drainMs = 0): Promise<void> {
		if (this.#closed) this.#hurry.abort();
		return (this.#closed ??= this.#closeAll(drainMs));
	}

	async #closeAll(drainMs: number): Promise<void> {
		this.stopping.abort();
		const { signal } = this.#hurry;
		for (let left = drainMs; left > 0 && !signal.aborted; left -= DRAIN_STEP_MS)
			await setTimeout(DRAIN_STEP_MS, undefined, { signal }).catch(() => undefined);
		this.stopped.abort();
		const failures: unknown[] = [];
		for (const [what, end] of this.#parts.toReversed()) {
			this.closing = what;
			try {
				await end();
			} catch (error) {
				// Whatever fails, the store is closed.
				failures.push(error);
			}
		}
		this.closing = undefined;
		if (failures.length > 0) throw failures[0];
	}
}

/** Stops what calls webhooks; after `WEBHOOK_GRACE_MS`, the calls are cut off. */
async function stopWithGrace({ webhooks }: Context, end: () => PromiseLike<unknown>) {
	const timer = globalThis.setTimeout(() => webhooks.stop(), WEBHOOK_GRACE_MS);
	try {
		await end();
	} finally {
		clearTimeout(timer);
	}
}

/** Deletes what is no longer kept. Nothing old is deleted while the clock may be wrong. */
function upkeepTasks(context: Context, config: Config, stopped: AbortSignal): Task[] {
	const isClockTrusted = rememberedClockGuard(context);
	const keptMs = config.BECKON_HISTORY_DAYS * DAY_MS;
	const deleteHistory = async () => {
		if (!(await isClockTrusted())) throw new Error(CLOCK_AHEAD);
		if (keptMs > 0) await deleteOldHistory(context, keptMs, stopped);
	};
	const ifTrusted = (work: () => Promise<unknown>) => async () =>
		(await isClockTrusted()) && (await work());
	const deleteAudit = ifTrusted(() => deleteOldAuditEntries(context, stopped));
	const deleteTriggers = ifTrusted(() => deleteUnusedTriggers(context));
	const deleteImages = ifTrusted(() => pruneUnusedImages(context));
	const isAtStart = true;
	return [
		{ everyMs: HOUR_MS, what: 'deleting old audit entries', work: deleteAudit, isAtStart },
		{ everyMs: HOUR_MS, what: 'deleting unused triggers', work: deleteTriggers, isAtStart },
		{ everyMs: HOUR_MS, what: 'deleting old history', work: deleteHistory, isAtStart },
		{ everyMs: TEN_MINUTES_MS, what: 'deleting pictures', work: deleteImages },
	];
}

/**
 * Starts the whole server. If a step fails, what was opened before it is closed.
 * @throws StoreUnusableError if the data directory cannot be used, or a Node.js system error (EADDRINUSE,
 * EACCES, EADDRNOTAVAIL) if the server cannot listen on the address
 */
export async function startServer(config: Config, logger: Logger): Promise<RunningServer> {
	const onError = (error: unknown, what: string) => logger.error({ err: error }, `${what} failed`);
	const metrics = config.BECKON_METRICS_PORT === '' ? undefined : new ServerMetrics();
	const mayMigrate = config.BECKON_DATABASE_URL === '' || config.BECKON_MIGRATE_ON_START;
	const database = await openDatabase(toStoreLocation(config), {
		onError,
		isServer: true,
		olderStore: mayMigrate ? 'migrate' : undefined,
	});
	const { migrated } = database;
	if (migrated) logger.info(migrated, 'the data was migrated');
	const parts = new OpenParts();
	const { stopping, stopped } = parts;
	parts.add('the store', () => database.close());
	try {
		const gateways = openGateways(config, database);
		const { apns, webPush } = gateways;
		parts.add('gateways', () => (apns?.close(), webPush.close()));
		const context = createContext({ config, database, onError, gateways, metrics, logger });
		const { outbox, tapOutcomes, questionWaits, triggerWaits, operatorLog } = context;
		await database.write(null, (db) => skipAssignedIds(db, context.now()));
		if (metrics) {
			metrics.watch(context, config);
			parts.add('requests for metrics', await listenForMetrics(metrics, config, logger));
		}
		parts.add('deliveries', () => outbox.stop());
		parts.add('outcomes of webhooks', () => tapOutcomes.idle());
		const later = new Later(context, laterKinds(apns), onError);
		parts.add('scheduled work', () => stopWithGrace(context, () => later.stop()));
		const regularWork: RegularWork[] = [];
		const stopRegularWork = () => Promise.all(regularWork.map((work) => work.stop()));
		parts.add('regular work', stopRegularWork);
		const app = await createApp(context, config, logger, {
			stopping: stopping.signal,
			onResponse: metrics && ((request, reply) => metrics.responded(request, reply)),
		});
		parts.add('requests', () => stopWithGrace(context, () => app.close()));
		const address = await app.listen(listenAt(config));
		// A URL to open: `[::]` stands for all addresses, and cannot be opened itself.
		const url = address.replace('[::]', 'localhost');

		const setupToken = await firstSetupLink(context);
		outbox.start();
		stopping.signal.addEventListener('abort', () => (questionWaits.stop(), triggerWaits.stop()));
		stopped.signal.addEventListener('abort', followOthers(context));
		stopped.signal.addEventListener('abort', () => void stopRegularWork());
		const tasks: Task[] = [
			...(operatorLog ? watchTasks(context, operatorLog, config, stopped.signal) : []),
			...upkeepTasks(context, config, stopped.signal),
		];
		if (apns) {
			const deleteEnded = () => apns.channels.deleteEnded();
			tasks.push({ everyMs: MINUTE_MS, what: 'deleting broadcast channels', work: deleteEnded });
		}
		later.start();
		regularWork.push(...scheduleTasks(tasks, onError));
		return {
			url,
			migrated,
			setupToken,
			get closing() {
				return parts.closing;
			},
			get unstoredOutcomes() {
				return tapOutcomes.unstored;
			},
			close: (drainMs) => parts.close(drainMs),
		};
	} catch (error) {
		const ended = parts.close().catch((failure: unknown) => onError(failure, 'cleaning up'));
		await isDoneWithin(GIVE_UP_MS, ended);
		throw error;
	}
}
