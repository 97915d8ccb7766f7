import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Config, ConfigError } from './config.ts';
import { ACTIVITY_LIFETIME_MS, HOUR_MS, MINUTE_MS } from './durations.ts';
import type { Context } from './service/context.ts';
import { errorCode } from './store/errors.ts';
import { measureBacklog, measureTokenBacklog } from './store/outbox/claims.ts';
import { CONNECTION_WAITS, LISTENING, TRANSACTIONS } from './store/measured.ts';
import { countRegistered } from './store/phones/devices.ts';
import { oldestTap } from './store/triggers.ts';
import { lastBackup, freeBytesOf } from './watch.ts';
import { VERSION } from './version.ts';

/** In seconds; the upper ones are for requests that wait for first delivery attempts. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Statistics that Node.js samples with a timer, a hundred times a second. They are left out, and the timer fires
 * once an hour; `nodejs_eventloop_lag_seconds` is measured when the metrics are read.
 */
const EVENT_LOOP_STATISTICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];
const EVENT_LOOP_SAMPLE_MS = HOUR_MS;

/** What is measured when it happens. */
const MEASURED = {
	beckon_http_request_duration_seconds:
		'Time from the arrival of a request until its response was sent, or the server ended its event stream. Excludes requests whose client hung up first.',
	beckon_delivery_attempts_total: 'Attempts to hand a delivery to a gateway, by outcome.',
	beckon_push_service_duration_seconds:
		'Time until a push service responded, by gateway, including attempts that got no response.',
	beckon_store_commit_duration_seconds:
		'Time for which a transaction was open, its commit included.',
	beckon_webhook_calls_total: 'Webhooks of tapped buttons, by outcome.',
	beckon_store_connection_wait_seconds:
		'Time that queries and transactions waited for a connection to PostgreSQL.',
};

/** What is looked up on each read. */
const WATCHED: Record<keyof Watched, string> = {
	beckon_build_info: 'Always 1; the label is the running version.',
	beckon_outbox_pending: 'Unsettled deliveries in the whole store.',
	beckon_outbox_oldest_seconds: 'Age of the oldest unsettled delivery; 0 if there is none.',
	beckon_activity_updates_waiting:
		"Updates and ends of Live Activities that wait for the activity's token from an iPhone.",
	beckon_activity_updates_oldest_seconds:
		'Age of the oldest of them, up to eight hours, after which iOS ends an activity; 0 if there is none.',
	beckon_taps_oldest_seconds: 'Age of the oldest tap that no workflow has taken; 0: there is none.',
	beckon_phones_registered: 'Phones that a push service can wake, counted once a minute.',
	beckon_phones_unreached: 'Phones that the last push attempt did not reach, by gateway.',
	beckon_event_streams_open: 'Event streams open to this process.',
	beckon_failing_seconds: 'Time for which a push service or a part of the server has failed.',
	beckon_disk_free_bytes: 'Bytes left on the disk of the embedded store.',
	beckon_backup_age_seconds: 'Age of the newest nightly backup; +Inf: there is none.',
};

const LABELS: Partial<Record<keyof Watched, string>> = {
	beckon_build_info: 'version',
	beckon_phones_registered: 'platform',
	beckon_phones_unreached: 'gateway',
	beckon_event_streams_open: 'of',
	beckon_failing_seconds: 'what',
};

type Watched = Awaited<ReturnType<ReturnType<typeof readWatched>>>;

/** @returns a function that reads the values of WATCHED, some by label; undefined: it does not apply */
function readWatched({ database, openPages, now, operatorLog }: Context, config: Config) {
	const { BECKON_DATA: data, BECKON_DATABASE_URL: url, BECKON_BACKUP_DIR: backups } = config;
	const age = (at: number = now()) => Math.max(0, now() - at) / 1_000;
	// Counting reads an index of all of them.
	let [phones, countedAt]: [Record<string, number>, number] = [{}, -Infinity];
	return async () => {
		const outbox = await measureBacklog(database.read);
		const tokens = await measureTokenBacklog(database.read, now() - ACTIVITY_LIFETIME_MS);
		const open = openPages.openStreams();
		if (performance.now() - countedAt >= MINUTE_MS) {
			countedAt = performance.now();
			phones = { ios: 0, web: 0, ...(await database.readInTurn(countRegistered)) };
		}
		return {
			beckon_build_info: { [VERSION]: 1 },
			beckon_outbox_pending: outbox.pending,
			beckon_outbox_oldest_seconds: age(outbox.oldestAt),
			beckon_activity_updates_waiting: tokens.pending,
			beckon_activity_updates_oldest_seconds: age(tokens.oldestAt),
			beckon_taps_oldest_seconds: age(await oldestTap(database.read, now())),
			beckon_phones_registered: phones,
			beckon_phones_unreached: operatorLog?.unreached() ?? {},
			beckon_event_streams_open: { phone: open.phones, console: open.consoles },
			beckon_failing_seconds: operatorLog?.failing() ?? {},
			beckon_disk_free_bytes: url === '' ? await freeBytesOf(data) : undefined,
			beckon_backup_age_seconds: backups === '' ? undefined : age(lastBackup(backups)),
		};
	};
}

/**
 * The server's own measurements, for Prometheus. Labels have few values and identify no one: route templates,
 * statuses, gateways, outcomes.
 */
export class ServerMetrics {
	readonly #registry = new Registry();
	readonly #registers = [this.#registry];
	readonly #requests = this.#histogram('beckon_http_request_duration_seconds', REQUEST_BUCKETS, [
		'method',
		'route',
		'status',
	]);
	readonly #attempts = this.#counter('beckon_delivery_attempts_total', ['gateway', 'outcome']);
	readonly #latency = this.#histogram('beckon_push_service_duration_seconds', REQUEST_BUCKETS, [
		'gateway',
	]);
	readonly #commits = this.#histogram('beckon_store_commit_duration_seconds', COMMIT_BUCKETS);
	readonly #webhooks = this.#counter('beckon_webhook_calls_total', ['outcome']);
	readonly #connections = this.#histogram('beckon_store_connection_wait_seconds', COMMIT_BUCKETS);
	#look: (() => Promise<void>) | undefined;

	constructor() {
		collectDefaultMetrics({
			register: this.#registry,
			eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS,
		});
		CONNECTION_WAITS.subscribe((ms) => this.#connections.observe(Number(ms) / 1_000));
		TRANSACTIONS.subscribe((ms) => this.#commits.observe(Number(ms) / 1_000));
		const listening = new Gauge({
			name: 'beckon_store_listening',
			help: '1 if this process receives change notifications from the other servers. Always 0 without PostgreSQL.',
			registers: this.#registers,
		});
		LISTENING.subscribe((isListening) => listening.set(Number(isListening)));
		for (const statistic of EVENT_LOOP_STATISTICS)
			this.#registry.removeSingleMetric(`nodejs_eventloop_lag_${statistic}_seconds`);
	}

	/** Adds the metrics that are looked up on each read. */
	watch(context: Context, config: Config): void {
		const read = readWatched(context, config);
		const names = Object.keys(WATCHED) as Array<keyof Watched>;
		const gauges = names.map((name) => {
			const labelNames = [LABELS[name] ?? []].flat();
			const config = { name, help: WATCHED[name], labelNames, registers: this.#registers };
			return [name, new Gauge<string>(config)] as const;
		});
		this.#look = async () => {
			const values = await read();
			for (const [name, gauge] of gauges) {
				const [value, label = ''] = [values[name], LABELS[name]];
				gauge.reset();
				if (value === undefined) gauge.remove();
				else if (typeof value === 'number') gauge.set(value);
				else for (const [of, part] of Object.entries(value)) gauge.set({ [label]: of }, part);
			}
		};
	}

	#histogram(name: keyof typeof MEASURED, buckets: number[], labelNames: string[] = []) {
		const registers = this.#registers;
		return new Histogram({ name, help: MEASURED[name], labelNames, buckets, registers });
	}

	#counter(name: keyof typeof MEASURED, labelNames: string[]) {
		return new Counter({ name, help: MEASURED[name], labelNames, registers: this.#registers });
	}

	/** Measures from the arrival of the request until its response has been sent. */
	responded({ method, routeOptions: { url: route } }: FastifyRequest, reply: FastifyReply): void {
		// One label for all unknown routes: a scanner's methods must not create time series.
		const labels = route === undefined ? { method: 'any', route: 'none' } : { method, route };
		this.#requests.observe({ ...labels, status: reply.statusCode }, reply.elapsedTime / 1_000);
	}

	/** @param milliseconds from the call of a push service to its response */
	attempt(gateway: string, outcome: string, milliseconds: number): void {
		this.#attempts.inc({ gateway, outcome });
		if (gateway !== 'inbox') this.#latency.observe({ gateway }, milliseconds / 1_000);
	}

	webhook(outcome: string): void {
		this.#webhooks.inc({ outcome });
	}

	get contentType(): string {
		return this.#registry.contentType;
	}

	/** @returns all metrics, in the text format of Prometheus */
	async read(): Promise<string> {
		await this.#look?.();
		return this.#registry.metrics();
	}
}

/**
 * Serves GET /metrics on a separate port: without authentication, it must not be public.
 * @returns a function that stops it
 * @throws ConfigError if it cannot listen on the address
 */
export async function listenForMetrics(
	metrics: ServerMetrics,
	{ BECKON_METRICS_HOST: host, BECKON_METRICS_PORT: port }: Config,
	logger: Logger,
): Promise<() => Promise<void>> {
	const app = fastify({ forceCloseConnections: true });
	app.get('/metrics', async (_request, reply) =>
		reply.type(metrics.contentType).send(await metrics.read()),
	);
	app.setNotFoundHandler((_request, reply) =>
		reply.status(404).type('text/plain').send('Not found. Only GET /metrics is served here.\n'),
	);
	app.setErrorHandler((error, _request, reply) => {
		logger.error({ err: error }, 'reading metrics failed');
		reply.status(503).type('text/plain').send('The metrics cannot be read at the moment.\n');
	});
	const address = await app.listen({ host, port: Number(port) }).catch((error: unknown) => {
		throw new ConfigError(
			`Cannot serve metrics on port ${port} of ${host} (${errorCode(error)}). Choose others with BECKON_METRICS_PORT and BECKON_METRICS_HOST.`,
		);
	});
	logger.info({ url: `${address}/metrics` }, 'serving metrics');
	return () => app.close();
}
