import { laterKinds } from '../../src/service/later/kinds.ts';
import * as accounts from '../../src/store/accounts/accounts.ts';
import { keyByHash } from '../../src/store/keys-and-channels/api-keys.ts';
import { addRequestCounts } from '../../src/store/accounts/accounts.ts';
import * as activities from '../../src/store/activities/activities.ts';
import * as activityDevices from '../../src/store/activities/activity-devices.ts';
import { isPostgres } from '../../src/store/engine/statement.ts';
import { RateWindowsInPostgres } from '../../src/store/engine/postgres/rate-windows.ts';
import * as transactions from '../../src/store/engine/postgres/transaction.ts';
import * as delivered from '../../src/store/outbox/delivered.ts';
import * as history from '../../src/store/history/history.ts';
import { deliveryStates } from '../../src/store/history/lifecycle.ts';
import { deleteHistory, deleteIdleStreams } from '../../src/store/history/retention.ts';
import * as taps from '../../src/store/taps/taps.ts';
import { updateImage } from '../../src/store/images.ts';
import * as metricValues from '../../src/store/metrics.ts';
import * as questions from '../../src/store/questions.ts';
import { listMetrics } from '../../src/store/metrics.ts';
import { insertMessages, updateMessage } from '../../src/store/outbox/messages.ts';
import * as claims from '../../src/store/outbox/claims.ts';
import * as outcomes from '../../src/store/outbox/outcomes.ts';
import * as outbox from '../../src/store/outbox/deliveries.ts';
import * as repeats from '../../src/store/outbox/repeats.ts';
import { channelsNamedBy } from '../../src/store/keys-and-channels/channels.ts';
import * as audience from '../../src/store/phones/device-audience.ts';
import * as devices from '../../src/store/phones/devices.ts';
import * as inbox from '../../src/store/phones/inbox.ts';
import { mutesOfChannels } from '../../src/store/phones/muted-channels.ts';
import * as summaries from '../../src/store/phones/quiet-summaries.ts';
import * as shown from '../../src/store/phones/shown-pushes.ts';
import * as widgets from '../../src/store/phones/widget-reloads.ts';
import type { Db } from '../../src/store/schema.ts';
import { activityOn, streamOf } from './board.ts';
import { device, NOW } from './decisions.ts';

const phone = { id: 'dev', user_id: 'usr' };
const slug = { account_id: 'acc', slug: 'ops' };
const streamKey = { account_id: 'acc', stream_key: 'key' };
const summary = { device_id: 'dev', account_id: 'acc', first_delivery_id: 1, due_at: NOW };
const lease = { now: NOW, leaseMs: 1, limit: 10, except: [] };
const entry = { id: 'his', account_id: 'acc', title: 'Title', created_at: NOW, channels: null };
const message = {
	id: 1,
	account_id: 'acc',
	history_id: 'his',
	kind: 'push' as const,
	content_json: '{}',
	lane: null,
	created_at: NOW,
	expires_at: null,
};
const delivery = (): outbox.OutgoingDelivery => ({
	id: 1,
	attempts: 0,
	leasedUntil: NOW,
	message,
	device: device('dev'),
	isMuted: false,
	isHeld: false,
});
const before = { message_id: 1, device_id: 'dev', id: 1 };
const repeat = {
	id: 'rep',
	account_id: 'acc',
	message_id: 1,
	every_ms: 1,
	times_left: 1,
	next_at: NOW,
	ended_at: null,
	end_reason: null,
};
const tap = {
	device_id: 'dev',
	id: 'tap',
	history_id: 'his',
	user_name: 'user',
	device_name: 'phone',
	button: 'Open',
	outcome_json: null,
	created_at: NOW,
};
const activity = () => activityOn(['dev']).row;

async function consumeWindow(db: Db): Promise<void> {
	if (!isPostgres(db)) return;
	const windows = new RateWindowsInPostgres(db, (error) => {
		throw error;
	});
	// At the time 0 it does not sweep.
	await windows.consume([{ key: 'account:acc', quota: 10 }], 1, 0);
}

/** All that happens later. */
export const LATER = laterKinds({
	reloadWidgets: () => Promise.reject(new Error('No phone is called')),
});

/**
 * The statements that run for each request, delivery or connected phone, for each entry shown or forgotten, or look for
 * work every few seconds, by subject and by the function that sends them. The values do not matter: they are parameters.
 */
export const HOT: Record<string, Record<string, (db: Db) => unknown>> = {
	sending: {
		keyByHash: (db) => keyByHash(db, 'hash'),
		accountsWithSends: (db) => accounts.accountsWithSends(db, ['acc'], ['trial']),
		devicesOfAccounts: (db) => audience.devicesOfAccounts(db, { accountIds: ['acc'] }),
		channelsNamedBy: (db) => channelsNamedBy(db, [slug]),
		devicesWithIds: (db) => audience.devicesWithIds(db, { ids: ['a'] }),
		devicesOfChannels: (db) => audience.devicesOfChannels(db, ['a', 'b']),
		mutesOfChannels: (db) => mutesOfChannels(db, [slug]),
		lockLanes: (db) => outbox.lockLanes(db, [{ device_id: 'dev', lane: 'act' }]),
		insertHistoryEntries: (db) =>
			history.insertHistoryEntries(db, [{ ...entry, api_key_id: null, kind: 'push', tags: ['a'] }]),
		setBadges: (db) => devices.setBadges(db, [{ id: 'dev', badge: 1 }]),
		insertMessages: (db) => insertMessages(db, [message]),
		insertDeliveries: (db) => outbox.insertDeliveries(db, [delivery()], new Set()),
		supersedeAll: (db) => outcomes.supersedeAll(db, [1]),
		planSummaries: (db) => summaries.planSummaries(db, [summary]),
		addUsage: (db) => accounts.addUsage(db, [{ account_id: 'acc', period: 'trial', sends: 1 }]),
		findKeptResponses: (db) => history.findKeptResponses(db, { hashes: ['hash'], now: NOW }),
		insertRepeats: (db) => repeats.insertRepeats(db, [repeat]),
		updateImage: (db) => updateImage(db, 'acc', 'hash', { history_id: 'his' }),
	},
	activities: {
		streamsByKey: (db) => activities.streamsByKey(db, [streamKey]),
		activitiesById: (db) => activities.activitiesById(db, { ids: ['act'] }),
		devicesShowing: (db) => activityDevices.devicesShowing(db, { activityIds: ['act'] }),
		runningCounts: (db) => activities.runningCounts(db, ['acc'], 1),
		runningOn: (db) => activities.runningOn(db, ['dev']),
		insertActivities: (db) => activities.insertActivities(db, [activity()]),
		insertActivityDevices: (db) =>
			activityDevices.insertActivityDevices(db, [{ activity_id: 'act', device_id: 'dev' }]),
		updateActivities: (db) => activities.updateActivities(db, [activity()]),
		endActivities: (db) => activities.endActivities(db, [activity()]),
		changeHistoryEntries: (db) =>
			history.changeHistoryEntries(db, new Map([['his', { title: 'New', tags: ['a'] }]])),
		saveStreams: (db) => activities.saveStreams(db, [streamOf('key')]),
		deleteStreams: (db) => activities.deleteStreams(db, [streamKey]),
		detachActivities: (db) => activities.detachActivities(db, { activityIds: ['act'] }),
		queueForTokens: (db) =>
			activityDevices.queueForTokens(db, [
				{ activity_id: 'act', device_id: 'dev', queued_message_id: 1 },
			]),
		registerActivityToken: (db) => activityDevices.registerActivityToken(db, 'act', 'dev', 'token'),
		deleteQuietStreams: (db) => deleteIdleStreams(db, 1, 10),
	},
	outbox: {
		nextDueAt: (db) => claims.nextDueAt(db),
		claimDue: (db) => claims.claimDue(db, lease),
		claimDueOfOthers: (db) => claims.claimDue(db, { ...lease, except: ['acc'] }),
		markHeld: (db) => outcomes.markHeld(db, [delivery()]),
		markStored: (db) => outcomes.markStored(db, [1]),
		markHandedOver: (db) => outcomes.markHandedOver(db, [1], NOW),
		recordFailures: (db) =>
			outcomes.recordFailures(db, [
				{
					id: 1,
					state: 'pending',
					attempts: 1,
					next_attempt_at: NOW,
					last_error: 'busy',
					failures: `${NOW} busy`,
				},
			]),
		expireDeliveriesOf: (db) => outcomes.expireDeliveriesOf(db, { messageIds: [1], now: NOW }),
		markFailed: (db) => outcomes.markFailed(db, 1, 'gone'),
		reschedule: (db) => outcomes.reschedule(db, [1], NOW),
		failPending: (db) => outcomes.failPending(db, { deviceIds: ['dev'] }),
		queueForNextTokens: (db) =>
			activityDevices.queueForNextTokens(db, [
				{ activity_id: 'act', device_id: 'dev', token: 'token', queued_message_id: 1 },
			]),
		markGone: (db) => devices.markGone(db, [{ ...device('dev'), push_registered_at: NOW }]),
		forgetPushToStartTokens: (db) =>
			devices.forgetPushToStartTokens(db, [{ id: 'dev', push_to_start_token: 'token' }]),
		measureBacklog: (db) => claims.measureBacklog(db),
		measureTokenBacklog: (db) => claims.measureTokenBacklog(db, 1),
		endRepeatsOfKey: (db) => repeats.endRepeatsOfKey(db, 'acc', 'key', NOW),
		heldPushes: (db) => summaries.heldPushes(db, [summary]),
		deliveryStates: (db) => deliveryStates(db, 'his', { before, limit: 10 }),
		deleteHistory: (db) => deleteHistory(db, ['his']),
	},
	/** How each kind finds and takes what is due, and what it does to it. */
	later: {
		...Object.fromEntries(
			LATER.flatMap(({ what, rows }) => [
				[`find: ${what}`, (db: Db) => rows.find(db, { time: NOW, limit: 10, skip: 0 })],
				[`take: ${what}`, (db: Db) => rows.take(db, [{ account_id: 'acc' }])],
			]),
		),
		scheduleNext: (db) => repeats.scheduleNext(db, ['rep'], NOW),
		sentMessages: (db) => delivered.sentMessages(db, [1]),
		listReceivers: (db) => delivered.listReceivers(db, [1]),
		retireDeliveries: (db) => delivered.retireDeliveries(db, [1], NOW, ['dev']),
		markReloaded: (db) => widgets.markReloaded(db, { device_id: 'dev', changed: 1 }, NOW),
		updateReload: (db) => widgets.updateReload(db, 'dev', { next_attempt_at: NOW }),
	},
	phones: {
		activeDeviceByTokenHash: (db) => devices.activeDeviceByTokenHash(db, { tokenHash: 'hash' }),
		statusOfDevice: (db) => devices.statusOfDevice(db, { id: 'dev' }),
		updateDevice: (db) => devices.updateDevice(db, 'dev', { last_seen_at: NOW }),
		inboxAfter: (db) => inbox.inboxAfter(db, { deviceId: 'dev', after: 0, limit: 100 }),
		newestDeliveryId: (db) => inbox.newestDeliveryId(db, 'dev'),
		recentPushes: (db) => inbox.recentPushes(db, 'dev', 50),
		activitiesOnScreen: (db) => activities.activitiesOnScreen(db, 'dev', NOW),
		listMetrics: (db) => listMetrics(db, { accountId: 'acc' }),
		countShownPushes: (db) => shown.countShownPushes(db, { deviceId: 'dev', after: 0, limit: 10 }),
		acknowledge: (db) => inbox.acknowledge(db, [{ id: 1, device_id: 'dev', acknowledged_at: NOW }]),
		deliveryHistory: (db) => inbox.deliveryHistory(db, 'dev', { limit: 20 }),
		updateDelivery: (db) => inbox.updateDelivery(db, 'dev', 1, { dismissed_at: NOW }),
		dismissOnOtherPhones: (db) => shown.dismissOnOtherPhones(db, phone, [1], NOW),
		dismissActivity: (db) =>
			activityDevices.dismissActivity(db, 'act', phone, { isEverywhere: true, now: NOW }),
	},
	taps: {
		tapOfDevice: (db) => taps.tapOfDevice(db, 'dev', 'tap'),
		pushOfDelivery: (db) => delivered.pushOfDelivery(db, 'dev', 1),
		activityDevice: (db) => activityDevices.activityDevice(db, 'act', 'dev'),
		channelsReaching: (db) => audience.channelsReaching(db, { deviceIds: ['dev'] }),
		tapsWithoutOutcome: (db) => taps.tapsWithoutOutcome(db, 'his'),
		recordTap: (db) => taps.recordTap(db, tap),
		repeatingPushes: (db) => repeats.repeatingPushes(db, 'dev', [1]),
		updateTap: (db) => taps.updateTap(db, 'dev', 'tap', { outcome_json: '{}' }),
		updateMessage: (db) => updateMessage(db, 1, { content_json: '{}' }),
		phonesShowing: (db) => delivered.phonesShowing(db, 1),
		linkToPush: (db) => delivered.linkToPush(db, 1, 1),
	},
	questions: {
		countOpen: (db) => questions.countOpen(db, { accountIds: ['acc'] }),
		peopleNamed: (db) => questions.peopleNamed(db, { accountIds: ['acc'], names: ['Ada'] }),
		listQuestions: (db) => questions.listQuestions(db, 'acc', { ids: ['his'], limit: 1 }),
		peopleOfQuestions: (db) => questions.peopleOfQuestions(db, { questionIds: ['his'] }),
		questionsOnScreen: (db) =>
			questions.questionsOnScreen(db, { id: 'dev', account_id: 'acc' }, NOW),
		deliveryOfQuestion: (db) => questions.deliveryOfQuestion(db, 1, 'dev'),
		receiversOfPeople: (db) =>
			audience.receiversOfPeople(db, { userIds: ['usr'], messageIds: [1] }),
		updateQuestion: (db) => questions.updateQuestion(db, 'his', { status: 'answered' }),
	},
	metrics: {
		metricsWithKeys: (db) => metricValues.metricsWithKeys(db, [{ account_id: 'acc', key: 'cpu' }]),
		storeMetricValues: (db) =>
			metricValues.storeMetricValues(db, [
				{ account_id: 'acc', metric_key: 'cpu', value_json: '1', measured_at: NOW },
			]),
		requestWidgetReloads: (db) => widgets.requestWidgetReloads(db, { accountIds: ['acc'] }),
		addRequestCounts: (db) =>
			addRequestCounts(
				db,
				[{ account_id: 'acc', hour: 0, feature: 'push', status: 200, requests: 1 }],
				0,
			),
	},
	/** Only PostgreSQL has these: one process alone counts in memory, and needs no locks. */
	'several-servers': {
		commitSetOnPostgres: (db) =>
			isPostgres(db) &&
			transactions.commitSetOnPostgres(db, ['acc'], () => Promise.resolve(), false),
		commitOnPostgres: (db) => isPostgres(db) && transactions.commitOnPostgres(db, 'acc', []),
		'RateWindowsInPostgres.consume': (db) => consumeWindow(db),
	},
};
