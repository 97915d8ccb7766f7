import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { createContext, openGateways } from './assembly.ts';
import { type Config, ConfigError, toStoreLocation } from './config.ts';
import { reloadWidgets } from './delivery/apns/widgets.ts';
import { listenForMetrics } from './metrics/listen.ts';
import { Metrics } from './metrics/metrics.ts';
import { every } from './regular-work.ts';
import { expireActivities } from './service/activities/requests.ts';
import { forgetOldAuditEntries } from './service/administration/audit.ts';
import { rememberedClock } from './service/administration/believed-clock.ts';
import { DAY_MS, forgetOldHistory } from './service/administration/retention.ts';
import { firstSetupLink } from './service/console/join.ts';
import type { Context } from './service/context.ts';
import { forgetUnusedImages } from './service/images/images.ts';
import { sendQuietSummaries } from './service/phones/quiet-summary.ts';
import { deliverRepeats } from './service/sending/repeats.ts';
import { openDatabase } from './store/open.ts';
import { errorCode } from './store/errors.ts';
import { skipAssignedIds } from './store/outbox/delivery-ids.ts';

const EXPIRY_INTERVAL_MS = 60_000;

/** The longest delay of a summary after a phone's quiet time. */
const SUMMARY_INTERVAL_MS = 15_000;
const IMAGES_INTERVAL_MS = 10 * 60 * 1_000;

/** The longest delay of a repeated push. */
const REPEAT_INTERVAL_MS = 2_000;

/** Milliseconds webhooks get once the server is told to stop; their outcome must still be recorded. */
const WEBHOOK_PATIENCE_MS = 2_000;

const RETENTION_INTERVAL_MS = 60 * 60 * 1_000;
const WIDGETS_INTERVAL_MS = 1_000;

/** Reacts to changes another process makes in the store. @returns a function that stops it */
export function followOthers({ database, outbox, openPages }: Context): () => void {
	return database.onForeignChange((change) => {
		outbox.foreignChange(change);
		openPages.foreignChange(change);
	});
}

/**
 * Returns the work of deleting old history and audit entries.
 * @param days 0 keeps the history
 * @param signal stops the deletion between two writes
 * @param isClockTrusted false while the clock may have been set ahead
 */
function retention(
	context: Context,
	days: number,
	signal: AbortSignal,
	isClockTrusted: () => Promise<boolean>,
): () => Promise<void> {
	return async () => {
		if (!(await isClockTrusted())) {
			throw new Error(
				'The clock is ahead of the last known time by more than a day: it was set, or no server ran. Nothing is deleted for a day, then it counts.',
			);
		}
		if (days > 0) await forgetOldHistory(context, days * DAY_MS, signal);
		await forgetOldAuditEntries(context, signal);
	};
}

export interface RunningServer {
	/** `http://host:port` the server listens on. */
	url: string;
	/** Lets one person become the first owner; undefined if one exists. */
	setupToken: string | undefined;
	/** Finishes requests, records the outcome of deliveries, closes the store. */
	close(): Promise<void>;
	/** The step `close` is waiting for; undefined before and after. */
	readonly closing: string | undefined;
	/** Number of called webhooks whose outcome the store has not taken yet. */
	readonly unstoredOutcomes: number;
}

/**
 * Starts the whole server.
 * @throws StoreUnusableError if the data directory cannot be used, or a Node.js system error (EADDRINUSE,
 * EACCES, EADDRNOTAVAIL) if the server cannot listen on the address
 */
export async function startServer(config: Config, logger: Logger): Promise<RunningServer> {
	const onError = (error: unknown, what: string) => logger.error({ err: error }, `${what} failed`);
	const metrics = config.BECKON_METRICS_PORT === '' ? undefined : new Metrics();
	const database = await openDatabase(toStoreLocation(config), {
		onError,
		onCommit: metrics && ((writes, milliseconds) => metrics.commit(writes, milliseconds)),
		isServer: true,
	});
	const gateways = openGateways(config, database);
	const context = createContext({ config, database, onError, gateways, metrics });
	const app = await createApp(
		context,
		config,
		logger,
		metrics && ((answer) => metrics.request(answer)),
	);
	let closeMetrics = () => Promise.resolve();
	let url: string;
	try {
		await database.write(null, (db) => skipAssignedIds(db, context.now()));
		if (metrics) closeMetrics = await openMetrics(metrics, context, config, logger);
		url = await app.listen({ host: config.BECKON_HOST, port: config.BECKON_PORT });
	} catch (error) {
		await closeMetrics();
		await app.close();
		await database.close();
		throw error;
	}

	const setupToken = await firstSetupLink(context);
	context.outbox.start();
	const { apns } = gateways;
	const floorMs = config.BECKON_WIDGET_RELOAD_SECONDS * 1_000;
	const reload = apns && (() => reloadWidgets({ database, apns, now: context.now, floorMs }));
	const widgets = reload && every(WIDGETS_INTERVAL_MS, 'reloading widgets', reload, onError);
	const stopListening = followOthers(context);
	const stopped = new AbortController();
	const isClockTrusted = rememberedClock(context);
	const days = config.BECKON_HISTORY_DAYS;
	const forget = retention(context, days, stopped.signal, isClockTrusted);
	const forgetImages = async () => (await isClockTrusted()) && (await forgetUnusedImages(context));
	const oldHistory = every(RETENTION_INTERVAL_MS, 'deleting old history', forget, onError);
	const expiry = every(EXPIRY_INTERVAL_MS, 'expiry', () => expireActivities(context), onError);
	const regularWork = [
		oldHistory,
		expiry,
		every(SUMMARY_INTERVAL_MS, 'summaries', () => sendQuietSummaries(context), onError),
		every(IMAGES_INTERVAL_MS, 'deleting pictures', forgetImages, onError),
		every(REPEAT_INTERVAL_MS, 'repeating pushes', () => deliverRepeats(context), onError),
	];
	expiry.run();
	oldHistory.run();

	let closing: string | undefined;
	return {
		url,
		setupToken,
		get closing() {
			return closing;
		},
		get unstoredOutcomes() {
			return context.tapOutcomes.unstored;
		},
		async close() {
			const ends = regularWork.map((work) => ({ what: work.what, ended: work.stop() }));
			stopped.abort();
			stopListening();
			closing = 'requests';
			const patience = setTimeout(() => context.webhooks.stop(), WEBHOOK_PATIENCE_MS);
			await app.close();
			clearTimeout(patience);
			for (const { what, ended } of ends) {
				closing = what;
				await ended;
			}
			closing = 'outcomes of webhooks';
			await context.tapOutcomes.settle();
			closing = 'deliveries';
			await context.outbox.stop();
			closing = 'reloading widgets';
			await widgets?.stop();
			apns?.close();
			gateways.webPush.close();
			closing = 'requests for metrics';
			await closeMetrics();
			closing = 'the store';
			await database.close();
			closing = undefined;
		},
	};
}

/** @returns a function that stops answering Prometheus */
async function openMetrics(
	metrics: Metrics,
	context: Context,
	config: Config,
	logger: Logger,
): Promise<() => Promise<void>> {
	metrics.watch(context);
	const { BECKON_METRICS_HOST: host, BECKON_METRICS_PORT: port } = config;
	const server = await listenForMetrics(metrics, {
		host,
		port: Number(port),
		onError: (error) => logger.error({ err: error }, 'reading metrics failed'),
	}).catch((error: unknown) => {
		throw new ConfigError(
			`The metrics cannot be given at port ${port} of ${host} (${errorCode(error)}). Choose others with BECKON_METRICS_PORT and BECKON_METRICS_HOST.`,
		);
	});
	logger.info({ url: server.url }, 'metrics listen');
	return () => server.close();
}
