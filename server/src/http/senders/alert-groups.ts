import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { action } from '../../contract/actions.ts';
import type { PushRequest } from '../../contract/push.ts';
import { sanitized, shortened } from '../../contract/text.ts';
import type { SenderPath } from '../../contract/values.ts';
import { requireAccount } from '../../service/accounts/accounts.ts';
import { toWall } from '../../service/quiet/wall-clock.ts';
import { Refusal, type RefusalKind } from '../../service/refusal.ts';
import { sendPush } from '../../service/sending/pushes.ts';
import { deleteStreamByKey, putStream } from '../../service/streams/requests.ts';
import { requireCaller } from '../gate.ts';
import { parseIfValid, toPush } from './foreign-push.ts';
import { authorizationKey, MAX_BODY, type Sender, type SenderParts } from './sender.ts';

const MAX_LINE = 255;

/** Alerts named on the lock screen; the others are counted. */
const SHOWN_ALERTS = 4;

/** Alerts of one group that are read. */
const MAX_ALERTS = 1_000;

const labels = z.record(z.string(), z.string()).catch({});
const text = z.string().optional().catch(undefined);

/** An alert as Alertmanager describes it, with the URLs that Grafana adds. */
const alert = z.object({
	status: z.enum(['firing', 'resolved']),
	labels,
	annotations: labels,
	startsAt: text,
	endsAt: text,
	generatorURL: text,
	dashboardURL: text,
	panelURL: text,
	silenceURL: text,
});

/** A webhook's body (https://prometheus.io/docs/alerting/latest/configuration/#webhook_config). */
const alertGroup = z.object({
	groupKey: z.string().min(1, 'must not be empty'),
	status: z.enum(['firing', 'resolved']),
	alerts: z.preprocess(
		(list) => (Array.isArray(list) ? list.slice(0, MAX_ALERTS) : list),
		z.array(alert).min(1, 'must not be empty'),
	),
	groupLabels: labels,
	commonLabels: labels,
	commonAnnotations: labels,
	externalURL: z.string().catch(''),
	truncatedAlerts: z.number().catch(0),
});

type Alert = z.output<typeof alert>;
type AlertGroup = z.output<typeof alertGroup>;

/** Common names of severities, the worst first, with their colors. */
const SEVERITIES = [
	[/^(critical|disaster|emergency|error|fatal|high|page)$/i, 'red'],
	[/^(warning|warn|medium|average)$/i, 'orange'],
	[/^(info|information|informational|low|none|notice)$/i, 'blue'],
] as const;

/** For any other severity, or none. */
const OTHER_COLOR = 'orange';

/** The interruption level of a push, by the color of its group. */
const LEVELS: Record<string, PushRequest['interruption_level']> = {
	red: 'time-sensitive',
	green: 'passive',
};

/** The URLs of a group's buttons; `alert` is one with the group's status. */
type ToUrls = (
	group: AlertGroup,
	alert?: Alert,
) => Record<'source' | 'silence', string | undefined>;

/** A program that sends groups of alerts to POST /NAME. */
function alertSender(name: SenderPath, toUrls: ToUrls): Sender {
	return {
		name,
		feature: 'live-activities',
		keyIn: ({ headers }) => authorizationKey(headers.authorization),
		toRefusal: ({ body }) => body,

		register(app, parts) {
			const options = { schema: { body: alertGroup }, bodyLimit: MAX_BODY };
			app.post(`/${name}`, options, (request, reply) =>
				sendAlertGroup(parts, { request, reply }, request.body, toUrls),
			);
		},
	};
}

/**
 * One stream per group. It starts with an alert, changes silently, and ends in green when the group is resolved. Where
 * it cannot start because a phone is full, or the stream belongs to other channels, the group is sent as a push; so is
 * the end of a group without a stream.
 * @throws Refusal like `putStream`, except `capacity` and `forbidden`, and like `sendPush`
 */
async function sendAlertGroup(
	{ context, gate }: SenderParts,
	{ request, reply }: { request: FastifyRequest; reply: FastifyReply },
	group: AlertGroup,
	toUrls: ToUrls,
): Promise<object> {
	const alert = group.alerts.find(({ status }) => status === group.status);
	const urls = toUrls(group, alert);
	const caller = requireCaller(request);
	const key = `am-${hash('sha256', group.groupKey).slice(0, 32)}`;
	const { time_zone: zone } = await requireAccount(context, caller.accountId);
	const state = toContentState(group, zone);
	const button = (title: string, url: string | undefined) =>
		parseIfValid(action, { type: 'open_url', title, url });
	const [open, silence] = [button('Open', urls.source), button('Silence', urls.silence)];
	const push = async () => {
		await gate.spend(reply, 'notifications', caller.accountId);
		const message = {
			title: `${state.title}: ${state.badge.title}`,
			message: state.message,
			level: LEVELS[state.color] ?? 'active',
			click: urls.source,
			buttons: [open, silence],
		};
		return sendPush(context, caller, toPush(message, context));
	};
	try {
		if (group.status === 'resolved')
			return await deleteStreamByKey(context, caller, key, { content_state: state });
		const request = {
			content_state: state,
			action: open,
			secondary_action: silence,
			alert: { title: state.title, body: state.message },
		};
		return await putStream(context, caller, key, request, { alertsOnlyAtStart: true });
	} catch (error) {
		const pushed: RefusalKind = group.status === 'resolved' ? 'not_found' : 'capacity';
		// Forbidden: a key of other channels has a group of the same name.
		if (error instanceof Refusal && [pushed, 'forbidden'].includes(error.kind)) return push();
		throw error;
	}
}

/** The content state of a group: its alert, count and start; the color is the severity, green once resolved. */
function toContentState(group: AlertGroup, zone: string | null) {
	const isFiring = group.status === 'firing';
	const alerts = group.alerts.filter(({ status }) => status === group.status);
	const color = isFiring ? toColor(alerts) : ('green' as const);
	const isCut = group.truncatedAlerts > 0 || group.alerts.length === MAX_ALERTS;
	const count = `${alerts.length}${isCut ? '+' : ''}`;
	const word = isFiring ? `${count} firing` : 'Resolved';
	const at = isFiring
		? formatTimes(alerts, 'startsAt', zone).at(0)
		: formatTimes(alerts, 'endsAt', zone).at(-1);
	const symbol = isFiring ? 'exclamationmark.triangle.fill' : 'checkmark.circle.fill';
	return {
		type: 'alert' as const,
		title: shortened(toTitle(group), MAX_LINE),
		subtitle: at === undefined ? word : `${word} since ${at}`,
		message: toMessage(alerts),
		badge: { title: word, color },
		icon: { symbol, color },
		color,
	};
}

function toTitle({ groupLabels, commonLabels, commonAnnotations }: AlertGroup): string {
	const name = groupLabels['alertname'] ?? commonLabels['alertname'];
	const title = name ?? commonAnnotations['summary'] ?? Object.values(groupLabels).join(', ');
	return sanitized(title).trim() || 'Alerts';
}

function toMessage(alerts: readonly Alert[]): string {
	const lines = alerts.slice(0, SHOWN_ALERTS).map(toLine);
	const others = alerts.length - SHOWN_ALERTS;
	return [...lines, ...(others > 0 ? [`… and ${others} more`] : [])].join('\n') || 'Alerts';
}

/** The annotation that sums the alert up; without one, its labels. */
function toLine({ annotations, labels: given }: Alert): string {
	const written = annotations['summary'] ?? annotations['description'] ?? annotations['message'];
	const labelled = Object.entries(given).map(([name, value]) => `${name}=${value}`);
	return shortened(written?.trim() || labelled.join(', ') || 'Alert', MAX_LINE);
}

function toColor(alerts: readonly Alert[]) {
	const words = alerts.map(({ labels: { severity = '' } }) => severity);
	return SEVERITIES.find(([names]) => words.some((name) => names.test(name)))?.[1] ?? OTHER_COLOR;
}

/**
 * Sorted by time, as `2026-03-01 12:00`; Go's zero time counts as none.
 * @param zone of the account; null: UTC, which the text then says
 */
function formatTimes(alerts: readonly Alert[], field: 'startsAt' | 'endsAt', zone: string | null) {
	return (
		alerts
			.map((entry) => Date.parse(entry[field] ?? ''))
			// Dates end at 8.64e15, in whatever time zone.
			.filter((time) => time > 0 && time < 8.6e15)
			.sort((a, b) => a - b)
			.map((time) => new Date(toWall(zone ?? 'UTC', time)).toISOString())
			.map((time) => `${time.slice(0, 16).replace('T', ' ')}${zone === null ? ' UTC' : ''}`)
	);
}

/** POST /grafana: a contact point of Grafana's own alerting, of type "Webhook". */
export const grafana = alertSender('grafana', (_group, alert) => ({
	source: withoutEndTime(alert?.panelURL || alert?.dashboardURL) || alert?.generatorURL,
	silence: alert?.silenceURL,
}));

/** Drops the end of the time range shown: it is the current time, so every repeat would change the button. */
function withoutEndTime(address = ''): string | undefined {
	const url = URL.parse(address);
	url?.searchParams.delete('to');
	return url?.href;
}

/** POST /alertmanager: a receiver of Prometheus Alertmanager, by its `webhook_configs`. */
export const alertmanager = alertSender('alertmanager', (group, alert) => ({
	source: alert?.generatorURL || group.externalURL,
	silence: silenceUrl(group),
}));

/** Alertmanager's form for a silence, filled in with what all alerts of the group share. */
function silenceUrl({ externalURL, commonLabels }: AlertGroup): string {
	const matchers = Object.entries(commonLabels).map(
		([name, value]) => `${name}=${JSON.stringify(value)}`,
	);
	const filter = encodeURIComponent(`{${matchers.join(', ')}}`);
	return `${externalURL.replace(/(?<!\/)\/+$/, '')}/#/silences/new?filter=${filter}`;
}
