import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { ApnsGateway } from './delivery/apns/gateway.ts';
import { readApnsSettings } from './delivery/apns/settings.ts';
import type { Gateway } from './delivery/gateway.ts';
import { OpenPages } from './open-pages.ts';
import { OperatorLog } from './operator-log.ts';
import { Outbox } from './delivery/outbox.ts';
import { chooseGateway, type Gateways, inboxGateway } from './delivery/choose-gateway.ts';
import { type WebhookResult, Webhooks } from './delivery/webhooks.ts';
import { WebPushGateway } from './delivery/webpush/gateway.ts';
import type { ServerMetrics } from './prometheus.ts';
import { RequestCounts } from './service/requests/counts.ts';
import { Passwords } from './service/people/passwords.ts';
import type { Context, DecideSet, SetContext } from './service/context.ts';
import { LastUsed } from './service/requests/last-used.ts';
import { quietUntil, toQuietSettings } from './service/quiet/rules.ts';
import { holdBackClaimed } from './service/sending/quiet-summary.ts';
import { TapOutcomes } from './service/taps/outcomes.ts';
import { Cancellations } from './service/requests/cancellations.ts';
import { Waits } from './service/requests/waits.ts';
import type { Database } from './store/database.ts';
import type { AddToSet } from './store/engine/sets.ts';

export interface Parts {
	config: Config;
	database: Database;
	/** Milliseconds since 1970. */
	now?: () => number;
	/** Milliseconds of a monotonic clock. */
	elapsed?: () => number;
	onError: (error: unknown, what: string) => void;
	gateways?: Gateways;
	/** Replaces the delivery routes; gets the inbox's gateway. */
	gateway?: (inbox: Gateway) => Gateway;
	metrics?: ServerMetrics | undefined;
	/** Logs the responses of the push services at level `debug`. */
	logger?: Logger | undefined;
	passwords?: Passwords;
}

/** Maximum requests waiting for taps of one trigger: its listener, a test, and remains of broken connections. */
const MAX_LISTENERS = 10;

/** @throws ConfigError if the APNs settings cannot be used */
export function openGateways(config: Config, database: Database, now = Date.now): Gateways {
	const apns = readApnsSettings(config);
	return {
		apns: apns && new ApnsGateway(apns, database, now),
		webPush: new WebPushGateway({
			database,
			now,
			contact: config.BECKON_WEB_PUSH_CONTACT,
			allowPrivate: config.BECKON_WEB_PUSH_ALLOW_PRIVATE,
			isQuiet: (device, at) => quietUntil(toQuietSettings(device), at) !== undefined,
		}),
	};
}

/** Assembles store, delivery and service, without HTTP, for commands. */
export function createContext({
	config,
	database,
	now: ownClock,
	elapsed = () => performance.now(),
	onError,
	gateways = openGateways(config, database, ownClock),
	gateway,
	metrics,
	logger,
	passwords = new Passwords(),
}: Parts): Context {
	const now = ownClock ?? Date.now;
	const report = (what: string) => (error: unknown) => onError(error, what);
	const operatorLog = logger && new OperatorLog(logger, elapsed);
	const openPages = new OpenPages((topic) => database.announce(topic));
	const gatewayOverride = gateway?.(inboxGateway(openPages));
	const gatewayFor = chooseGateway(openPages, gateways, now);
	const shared: SetContext = {
		settings: {
			maxOpenQuestions: config.BECKON_QUESTIONS_OPEN,
			rotationAgeMs: config.BECKON_ROTATION_AGE_SECONDS * 1_000,
			upgradeUrl: config.BECKON_UPGRADE_URL,
			publicUrl: config.BECKON_PUBLIC_URL,
			allowPrivateWebhooks: config.BECKON_WEBHOOK_ALLOW_PRIVATE,
			allowPrivatePushServices: config.BECKON_WEB_PUSH_ALLOW_PRIVATE,
			pushesToIphones: gateways.apns !== undefined,
			linkKeyOf: gateways.apns?.linkKeyOf,
		},
		now,
		isClockShared: ownClock === undefined,
	};
	return {
		...shared,
		database,
		logger,
		operatorLog,
		inSets: createQueues(database, shared),
		openPages,
		outbox: new Outbox({
			database,
			gatewayFor: gatewayOverride ? () => gatewayOverride : gatewayFor,
			holdBack: holdBackClaimed,
			onBlocked: ({ device }) => openPages.inboxChanged(device.id),
			now,
			firstAttemptMs: config.BECKON_FIRST_ATTEMPT_MS,
			onError: report('reading or recording deliveries'),
			onAttempt: (via, outcome, { id, device, message }, ms) => {
				const name = gatewayName(via, gateways);
				metrics?.attempt(name, outcome.kind, ms);
				if (name === 'inbox' || !logger) return;
				operatorLog?.attempted({ gateway: name, outcome, phone: device.id });
				if (!logger.isLevelEnabled('debug')) return;
				const tried = { delivery: id, phone: device.id, history: message.history_id };
				// Without content, tokens and addresses.
				logger.debug({ gateway: name, ...outcome, ...tried }, 'push service answered');
			},
		}),
		webhooks: new Webhooks({
			allowPrivate: config.BECKON_WEBHOOK_ALLOW_PRIVATE,
			openPerAccount: config.BECKON_WEBHOOK_OPEN_PER_ACCOUNT,
			onResult: metrics && ((result) => metrics.webhook(outcomeName(result))),
		}),
		requests: new RequestCounts({ database, now, onError: report('counting requests') }),
		lastUsed: new LastUsed({ database, now, onError: report('recording the last use') }),
		passwords,
		tapOutcomes: new TapOutcomes({ elapsed, onError: report('storing the outcome of a tap') }),
		questionWaits: new Waits({
			announce: (topic) => database.announce(topic),
			kind: 'question',
			maxPerKey: config.BECKON_QUESTION_WAITS,
			refuse: (open) =>
				`This key already has ${open} requests waiting for answers. Wait for fewer questions at once, or use callbacks.`,
		}),
		triggerWaits: new Waits({
			announce: (topic) => database.announce(topic),
			kind: 'trigger',
			maxPerKey: MAX_LISTENERS,
			refuse: (open) => `${open} requests are already waiting for this trigger's taps.`,
		}),
		cancellations: new Cancellations((topic) => database.announce(topic)),
		elapsed,
	};
}

/** One queue for each kind of request, keyed by the function that decides it. */
function createQueues(database: Database, shared: SetContext): Context['inSets'] {
	const queues = new Map<unknown, unknown>();
	return <Q, A>(decide: DecideSet<Q, A>) => {
		const add =
			queues.get(decide) ?? database.inSets<Q, A>((db, requests) => decide(db, shared, requests));
		queues.set(decide, add);
		return add as AddToSet<Q, A>;
	};
}

/** The outcome's name in the metrics. */
function outcomeName(result: WebhookResult): string {
	if (result.kind === 'failed') return 'not_answered';
	return result.status < 400 ? 'taken' : 'refused';
}

/** The gateway's name in the metrics. */
function gatewayName(gateway: Gateway, { apns, webPush }: Gateways): string {
	if (gateway === apns) return 'apns';
	return gateway === webPush ? 'web_push' : 'inbox';
}
