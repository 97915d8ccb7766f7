import { uuid } from 'expo-modules-core';
import { useEffect, useMemo, useState } from 'react';
import { Alert, AppState, Linking, StyleSheet, View } from 'react-native';
import type { TapRequest } from '../../server/src/contract/device.ts';
import { DeviceError } from '../../server/web/device/device-client.ts';
import {
	catchUp,
	clearScreen,
	followResponses,
	followTokens,
	notificationPermission,
	openSession,
	permitCamera,
} from './device.ts';
import { openBridge } from './events.ts';
import { type AppLink, readLink } from './links.ts';
import Page from './page.tsx';
import { Scanner } from './scanner.tsx';
import { createScanning } from './scanning.ts';
import type { Pairing as Paired, Session } from './session.ts';

const DISCONNECTED = 'This iPhone was disconnected from the server. Pair it again.';

/** What remains for the person to do; the page shows network problems. */
function report(error: unknown): void {
	if (!(error instanceof DeviceError)) console.error('Beckon:', error);
}

/** Reports a tap, and shows its outcome. */
async function tap(session: Session, request: TapRequest, onKept?: () => void): Promise<void> {
	try {
		const { outcome, message, url } = await session.tap(request, onKept);
		if (outcome === 'open' && url !== undefined) await Linking.openURL(url);
		else Alert.alert(outcome === 'called' ? 'Done' : 'Not done', message);
	} catch (error) {
		Alert.alert('Not sent yet', error instanceof Error ? error.message : String(error));
	}
}

/** The app: pairing, or the phone page. */
export function App() {
	const [paired, setPaired] = useState<Paired | 'none'>();
	const [link, setLink] = useState<AppLink>();
	const [notice, setNotice] = useState('');
	const session = useMemo(
		() =>
			openSession(() => {
				setNotice(DISCONNECTED);
				setPaired('none');
				clearScreen().catch(report);
			}),
		[],
	);
	const bridge = useMemo(() => openBridge(session), [session]);
	const [isScanning, setIsScanning] = useState(false);
	const scanning = useMemo(() => createScanning({ permit: permitCamera, show: setIsScanning }), []);

	useEffect(() => {
		session.pairing().then((pairing) => setPaired(pairing ?? 'none'), report);
	}, [session]);

	useEffect(() => {
		const follow = (url: string | null) => setLink(url === null ? undefined : readLink(url));
		Linking.getInitialURL().then(follow, report);
		const subscription = Linking.addEventListener('url', ({ url }) => follow(url));
		return () => subscription.remove();
	}, []);
	const isPaired = paired !== undefined && paired !== 'none';
	const pairingId = isPaired ? paired.id : undefined;
	useEffect(() => {
		if (!isPaired || link?.kind !== 'tap') return;
		setLink(undefined);
		void tap(session, { tap_id: uuid.v4(), ...link.tap });
	}, [isPaired, link, session]);

	useEffect(() => {
		if (pairingId === undefined) return undefined;
		catchUp(session).catch(report);
		let stopTokens = followTokens(session, report);
		const stopResponses = followResponses((response, tap_id, onKept) => {
			if (response.kind === 'open') return onKept();
			if (response.kind === 'dismissal')
				return void session.dismiss(response.dismissed, onKept).catch(report);
			const { deliveryId: delivery_id, action } = response;
			return void tap(session, { tap_id, delivery_id, action }, onKept);
		});
		const state = AppState.addEventListener('change', (next) => {
			if (next !== 'active') return;
			catchUp(session).catch(report);
			// Live Activities may have been turned on meanwhile: iOS tells a new listener their token.
			stopTokens();
			stopTokens = followTokens(session, report);
		});
		return () => {
			stopTokens();
			stopResponses();
			state.remove();
		};
	}, [pairingId, session]);

	if (paired === undefined) return <View style={styles.whole} />;
	const linked = link?.kind === 'pair' ? link : undefined;
	const phone = linked ? undefined : pairingId;
	return (
		<View style={styles.whole}>
			<Page
				key={phone ?? linked?.code ?? ''}
				phone={phone}
				origin={linked?.origin ?? ''}
				code={linked?.code ?? ''}
				notice={notice}
				paired={isPaired ? paired.origin : ''}
				keep={async () => setLink(undefined)}
				scan={() => scanning.scan()}
				pair={(origin, code) =>
					session.pair(origin, { code, name: 'iPhone' }).then(
						async (pairing) => {
							await clearScreen().catch(report);
							setPaired(pairing);
							setLink(undefined);
							await notificationPermission(true);
							return '';
						},
						({ message }: Error) => message,
					)
				}
				{...bridge}
				permission={notificationPermission}
				// Without an app for the link, the page says so.
				openLink={(url) => Linking.openURL(url).catch(report)}
				onDisconnected={async () => setPaired('none')}
				onLeft={async () => {
					await session.forget();
					setPaired('none');
					await clearScreen().catch(report);
				}}
				dom={{ style: styles.whole, scrollEnabled: false, bounces: false }}
			/>
			<Scanner isOpen={isScanning} onEnd={(text) => scanning.end(text)} />
		</View>
	);
}

const styles = StyleSheet.create({ whole: { flex: 1, backgroundColor: '#0d1233' } });
