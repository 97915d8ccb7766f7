import { getIosPushNotificationServiceEnvironmentAsync as pushEnvironment } from 'expo-application';
import { Camera } from 'expo-camera';
import { fetch } from 'expo/fetch';
import { File, Paths } from 'expo-file-system';
import { uuid } from 'expo-modules-core';
import * as Notifications from 'expo-notifications';
import * as SecureStore from 'expo-secure-store';
import { addPushToStartTokenListener, createLiveActivity, createWidget } from 'expo-widgets';
import { Platform } from 'react-native';
import type { PhoneApp, Snapshot, TokensRequest } from '../../server/src/contract/device.ts';
import { activity, widget } from '../generated/layouts.ts';
import type { WidgetProps } from '../layout/widget.tsx';
import { type Candidates, narrow, outdated, type Presented, swiped } from './leftovers.ts';
import {
	buttonId,
	categoriesFor,
	type Payload,
	readResponse,
	type Response,
	Waiting,
} from './responses.ts';
import { Session, type Store } from './session.ts';

/** What only the phone itself can do. The tests do not reach this file. */

/** The pairing is in the Keychain, which stays on this phone; the rest is not secret, and too long for it. */
const store: Store = {
	async get(key) {
		if (key === 'pairing') return SecureStore.getItemAsync(key);
		const file = fileOf(key);
		return file.exists ? file.text() : null;
	},
	async set(key, value) {
		const file = fileOf(key);
		if (key === 'pairing' && value !== null)
			await SecureStore.setItemAsync(key, value, {
				keychainAccessible: SecureStore.AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY,
			});
		else if (key === 'pairing') await SecureStore.deleteItemAsync(key);
		else if (value !== null) file.write(value);
		else if (file.exists) file.delete();
	},
};

const fileOf = (key: string) => new File(Paths.document, `${key.replaceAll(' ', '-')}.json`);

export const openSession = (onDisconnected: () => void) =>
	new Session({ store, fetch: fetch as unknown as typeof globalThis.fetch, onDisconnected });

const LAYOUT = 'activity';

/** The layouts are texts, which the extension evaluates: it has none before the app's first start. */
const activities = createLiveActivity(LAYOUT, activity as never);
const metrics = createWidget<WidgetProps>('metric', widget as never);

type Shown = ReturnType<typeof activities.getInstances>;

/**
 * Ends what is on the lock screen although the server no longer shows it, since an end may have been lost, and reports
 * what the person has swiped away.
 */
async function compareActivities(
	session: Session,
	shown: Shown,
	listed: Snapshot['activities'],
): Promise<void> {
	const known = JSON.parse((await store.get('candidates')) ?? '{}') as Candidates;
	const onScreen = shown.map((one) => one.getId());
	const idsOf = (some: typeof listed) => some.map(({ activity_id: id }) => id);
	const candidates = narrow(known, onScreen, idsOf(listed));
	await store.set('candidates', JSON.stringify(candidates));
	const leftovers = shown.filter((one) => candidates[one.getId()]?.length === 0);
	// iOS no longer counts those that have ended.
	const running = idsOf(listed.filter(({ dismiss_at: at }) => at === null));
	await Promise.all([
		...leftovers.map((one) => one.end('immediate')),
		...swiped(known, onScreen, running).map((activity_id) => session.dismiss({ activity_id })),
	]);
}

/** The push of a notification: none for one that the phone made itself. */
const payloadOf = ({ trigger }: Notifications.NotificationRequest) =>
	trigger && 'payload' in trigger ? (trigger.payload as Payload | undefined) : undefined;

/** What is in Notification Center. */
const presentedNow = async (): Promise<Presented[]> =>
	(await Notifications.getPresentedNotificationsAsync()).map(({ request }) => ({
		id: request.identifier,
		payload: payloadOf(request),
	}));

/** Takes everything off the lock screen that came from a server to which this phone no longer belongs. */
export async function clearScreen(): Promise<void> {
	await Notifications.dismissAllNotificationsAsync();
	await Promise.all(activities.getInstances().map((one) => one.end('immediate')));
}

/** Reads what the phone shows, and shows it outside the app too: widgets, badge, and buttons of notifications. */
export async function catchUp(session: Session): Promise<void> {
	// Before the snapshot, which has no activity that starts after it.
	const onScreen = activities.getInstances();
	const snapshot = await session.catchUp();
	metrics.updateSnapshot({ metrics: snapshot.metrics });
	await Notifications.setBadgeCountAsync(snapshot.badge);
	const presented = await presentedNow();
	// iOS leaves in Notification Center what the server no longer shows.
	const gone = outdated(presented, snapshot);
	await Promise.all(gone.map((id) => Notifications.dismissNotificationAsync(id)));
	const instead = new Set(presented.map(({ payload }) => payload?.beckon?.activity_id));
	const others = snapshot.activities.filter(({ activity_id: id }) => !instead.has(id));
	await compareActivities(session, onScreen, others);
	await registerCategories(session, snapshot);
}

/** Registers the buttons with iOS, then tells the server which it may name. */
async function registerCategories(session: Session, snapshot: Snapshot | undefined): Promise<void> {
	const categories = categoriesFor(snapshot);
	for (const { id, titles } of categories)
		await Notifications.setNotificationCategoryAsync(
			id,
			titles.map((buttonTitle, index) => ({
				identifier: buttonId(index),
				buttonTitle,
				// Otherwise, a killed app would not learn of the tap.
				options: { opensAppToForeground: true },
			})),
			{ customDismissAction: true },
		);
	const app: PhoneApp = {
		layout: LAYOUT,
		// From iOS 18.
		channels: Number.parseInt(String(Platform.Version), 10) >= 18,
		categories: categories.map(({ id }) => id),
	};
	// By the signature, not by the kind of build; unknown in an app from the App Store.
	const isSandbox = (await pushEnvironment()) === 'development';
	await session.register({ app, push_environment: isSandbox ? 'sandbox' : 'production' });
}

export type Permission = 'on' | 'ask' | 'denied';

export async function notificationPermission(ask: boolean): Promise<Permission> {
	const wanted = {
		ios: { allowAlert: true, allowBadge: true, allowSound: true, allowCriticalAlerts: true },
	};
	const { granted, canAskAgain } = await (ask
		? Notifications.requestPermissionsAsync(wanted)
		: Notifications.getPermissionsAsync());
	if (granted) return 'on';
	return canAskAgain ? 'ask' : 'denied';
}

/** Registers each token with the server, now and whenever iOS gives another. @returns a function that stops it */
export function followTokens(session: Session, onError: (error: unknown) => void): () => void {
	const register = (tokens: TokensRequest) => void session.register(tokens).catch(onError);
	const pushed = Notifications.addPushTokenListener(({ data }) =>
		register({ push_token: String(data) }),
	);
	const started = addPushToStartTokenListener(({ activityPushToStartToken: token }) =>
		register({ push_to_start_token: token }),
	);
	Notifications.getDevicePushTokenAsync().then(
		({ data }) => register({ push_token: String(data) }),
		onError,
	);
	return () => {
		pushed.remove();
		started.remove();
	};
}

/** Followed as soon as the app's code runs: iOS starts the app for each dismissal, and they may come together. */
const responses = new Waiting<Notifications.NotificationResponse>();
Notifications.addNotificationResponseReceivedListener((response) => responses.add(response));

/** Responses already passed on: Expo gives the last one again. */
const told = new Set<string>();

/**
 * Calls back with each response to a notification, also with those that started the app. The last one is given again
 * until `onKept` is called for all of them, so it has the same id each time.
 */
export function followResponses(
	onResponse: (response: Response, id: string, onKept: () => void) => void,
): () => void {
	const read = ({ actionIdentifier, notification }: Notifications.NotificationResponse) => {
		const { identifier } = notification.request;
		const response = readResponse(actionIdentifier, payloadOf(notification.request));
		const id = uuid.v5(
			`${identifier} ${notification.date} ${JSON.stringify(response)}`,
			uuid.namespace.oid,
		);
		if (told.has(id)) return;
		told.add(id);
		unkept.add(id);
		onResponse(response, id, () => {
			unkept.delete(id);
			if (unkept.size === 0) Notifications.clearLastNotificationResponse();
		});
	};
	const stop = responses.follow(read);
	const last = Notifications.getLastNotificationResponse();
	if (last) read(last);
	return stop;
}

const unkept = new Set<string>();

/** While the app is in front, it shows its own cards: iOS shows no banner, but plays the sound. */
Notifications.setNotificationHandler({
	handleNotification: async () => ({
		shouldShowBanner: false,
		shouldShowList: true,
		shouldPlaySound: true,
		shouldSetBadge: true,
	}),
});

/** Asks for the camera, if the person has not answered yet. */
export const permitCamera = async (): Promise<boolean> =>
	(await Camera.requestCameraPermissionsAsync()).granted;
