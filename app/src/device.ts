import { getIosPushNotificationServiceEnvironmentAsync as pushEnvironment } from 'expo-application';
import { CameraView } from 'expo-camera';
import { fetch } from 'expo/fetch';
import { File, Paths } from 'expo-file-system';
import * as Notifications from 'expo-notifications';
import * as SecureStore from 'expo-secure-store';
import { addPushToStartTokenListener, createLiveActivity, createWidget } from 'expo-widgets';
import { Platform } from 'react-native';
import type { PhoneApp, Snapshot } from '../../server/src/contract/device.ts';
import { activity, widget } from '../generated/layouts.ts';
import type { WidgetProps } from '../layout/widget.tsx';
import { type Candidates, narrow } from './leftovers.ts';
import { buttonId, categoriesFor, readResponse, type Response } from './responses.ts';
import { Session, type Store } from './session.ts';
import { uuidOf } from './uuid.ts';

/** What only the phone itself can do. Tests replace nothing of it: they end where this file begins. */

/** The pairing is in the Keychain, which stays on this phone; the rest is no secret, and too long for it. */
const store: Store = {
	async get(key) {
		if (key === 'pairing') return SecureStore.getItemAsync(key);
		const file = fileOf(key);
		return file.exists ? file.text() : null;
	},
	async set(key, value) {
		if (key === 'pairing') {
			const keychainAccessible = SecureStore.AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY;
			if (value === null) await SecureStore.deleteItemAsync(key);
			else await SecureStore.setItemAsync(key, value, { keychainAccessible });
			return;
		}
		const file = fileOf(key);
		if (value !== null) file.write(value);
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

/** Ends what is left on the lock screen although the server no longer shows it: an end may have been lost. */
async function endLeftovers(onScreen: Shown, { activities: running }: Snapshot): Promise<void> {
	const known = JSON.parse((await store.get('candidates')) ?? '{}') as Candidates;
	const candidates = narrow(
		known,
		onScreen.map((one) => one.getId()),
		running.map(({ activity_id }) => activity_id),
	);
	await store.set('candidates', JSON.stringify(candidates));
	const leftovers = onScreen.filter((one) => candidates[one.getId()]?.length === 0);
	await Promise.all(leftovers.map((one) => one.end('immediate')));
}

/** Reads what the phone shows, and shows it outside the app too: widgets, badge, and buttons of notifications. */
export async function catchUp(session: Session): Promise<void> {
	// Before the snapshot, which has no activity that starts after it.
	const onScreen = activities.getInstances();
	const snapshot = await session.catchUp();
	metrics.updateSnapshot({ metrics: snapshot.metrics });
	await Notifications.setBadgeCountAsync(snapshot.badge);
	await endLeftovers(onScreen, snapshot);
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
				// A killed app would not learn of the tap otherwise.
				options: { opensAppToForeground: true },
			})),
			{ customDismissAction: true },
		);
	const app: PhoneApp = {
		layout: LAYOUT,
		channels: takesChannels(),
		categories: categories.map(({ id }) => id),
	};
	// Of a signature for development, however the app was built; unknown in one from the App Store.
	const isSandbox = (await pushEnvironment()) === 'development';
	await session.register({ app, push_environment: isSandbox ? 'sandbox' : 'production' });
}

/** From iOS 18. */
const takesChannels = () => Number.parseInt(String(Platform.Version), 10) >= 18;

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
	const register = (tokens: Parameters<Session['register']>[0]) => {
		session.register(tokens).catch(onError);
	};
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

/**
 * Calls back with each response to a notification, also with the one that started the app. iOS gives that one again
 * until `onKept` is called, so it has the same id each time.
 */
export function followResponses(
	onResponse: (response: Response, id: string, onKept: () => void) => void,
): () => void {
	const read = ({ actionIdentifier, notification }: Notifications.NotificationResponse) => {
		const { identifier, trigger } = notification.request;
		const payload = trigger && 'payload' in trigger ? trigger.payload : undefined;
		const response = readResponse(actionIdentifier, payload as never);
		const id = uuidOf(`${identifier} ${notification.date} ${JSON.stringify(response)}`);
		onResponse(response, id, Notifications.clearLastNotificationResponse);
	};
	const first = Notifications.getLastNotificationResponse();
	if (first) read(first);
	const subscription = Notifications.addNotificationResponseReceivedListener(read);
	return () => subscription.remove();
}

/** In front, the app shows its own cards: iOS shows no banner, and plays the sound. */
Notifications.setNotificationHandler({
	handleNotification: () =>
		Promise.resolve({
			shouldShowBanner: false,
			shouldShowList: true,
			shouldPlaySound: true,
			shouldSetBadge: true,
		}),
});

/** Scans a QR code. @returns its text; null if this phone has no scanner */
export async function scanCode(): Promise<string | null> {
	if (!CameraView.isModernBarcodeScannerAvailable) return null;
	const scanned = new Promise<string>((resolve) => {
		const subscription = CameraView.onModernBarcodeScanned(({ data }) => {
			subscription.remove();
			resolve(data);
		});
	});
	await CameraView.launchScanner({ barcodeTypes: ['qr'] });
	const text = await scanned;
	await CameraView.dismissScanner();
	return text;
}
