import { useCallback, useEffect, useState } from 'react';
import { PairedPhone } from './components/paired-phone.tsx';
import { PairingScreen } from './components/pairing-screen.tsx';
import { PhoneFrame } from './components/phone-frame.tsx';
import { SwitchScreen } from './components/switch-screen.tsx';
import { isDisconnected } from '../device/device-client.ts';
import { forgetPhone } from './forget-phone.ts';
import { pageClient } from './page-client.ts';
import {
	forgetToken,
	loadToken,
	onTokenChange,
	type PhoneLink,
	saveToken,
	takeLink,
} from './stored-device.ts';

type Screen =
	| { kind: 'starting' }
	| { kind: 'paired'; token: string }
	| { kind: 'pairing'; code?: string; notice?: string; current?: string }
	| { kind: 'switching'; link: string; current: string; currentName: string };

const DISCONNECTED = 'This phone was disconnected. Pair it again to get notifications.';

/** Chooses the screen: pairing, the choice between two phones, or the lock screen. */
export function App() {
	const [screen, setScreen] = useState<Screen>({ kind: 'starting' });

	useEffect(() => {
		let isCurrent = true;
		const follow = async (link: PhoneLink) => {
			const next = await screenFor(link);
			if (isCurrent) setScreen(next);
		};
		void follow(takeLink());
		const onHashChange = () => {
			const link = takeLink();
			if (link.code !== undefined || link.token !== undefined) void follow(link);
		};
		window.addEventListener('hashchange', onHashChange);
		const stopListening = onTokenChange((token) => {
			setScreen(
				token === undefined ? { kind: 'pairing', notice: DISCONNECTED } : { kind: 'paired', token },
			);
		});
		return () => {
			isCurrent = false;
			window.removeEventListener('hashchange', onHashChange);
			stopListening();
		};
	}, []);

	const adopt = useCallback((token: string) => {
		saveToken(token);
		setScreen({ kind: 'paired', token });
	}, []);
	/** Nothing of the former phone, which may have been another person's, stays in this browser. */
	const replace = (token: string) => void forgetPhone().then(() => adopt(token));
	const token = screen.kind === 'paired' ? screen.token : undefined;
	const release = useCallback(
		(notice?: string) => {
			if (token !== undefined) forgetToken(token);
			void forgetPhone();
			setScreen({ kind: 'pairing', notice });
		},
		[token],
	);
	const onDisconnected = useCallback(() => release(DISCONNECTED), [release]);

	switch (screen.kind) {
		case 'paired':
			return (
				<PairedPhone
					key={screen.token}
					token={screen.token}
					onDisconnected={onDisconnected}
					onLeft={release}
				/>
			);
		case 'pairing': {
			const { code, notice, current } = screen;
			return (
				<PhoneFrame>
					<PairingScreen
						key={code}
						linkCode={code}
						notice={notice}
						onPaired={(paired) => {
							// The old pairing is no longer used, so it must not count as a device.
							if (current !== undefined)
								pageClient(current)
									.call('DELETE /')
									.catch(() => undefined);
							replace(paired);
						}}
						onKeep={current === undefined ? undefined : () => adopt(current)}
					/>
				</PhoneFrame>
			);
		}
		case 'switching': {
			const { link, current, currentName } = screen;
			return (
				<PhoneFrame>
					<SwitchScreen
						currentName={currentName}
						onSwitch={() => {
							// This browser must get push messages for one phone only.
							pageClient(current)
								.call('PUT /tokens', { push_subscription: null })
								.catch(() => undefined);
							replace(link);
						}}
						onKeep={() => adopt(current)}
					/>
				</PhoneFrame>
			);
		}
		default:
			return <PhoneFrame>{null}</PhoneFrame>;
	}
}

/** The screen for a link, given the pairing this browser has stored. */
async function screenFor(link: PhoneLink): Promise<Screen> {
	const stored = loadToken();
	const isNewToken = link.token !== undefined && link.token !== stored;
	if (stored === undefined || (!isNewToken && link.code === undefined)) {
		if (link.token !== undefined) saveToken(link.token);
		const token = link.token ?? stored;
		return token === undefined ? { kind: 'pairing', code: link.code } : { kind: 'paired', token };
	}
	// Already paired, and the link would change that: ask, unless the pairing is dead anyway.
	const currentName = await fetchPhoneName(stored);
	if (currentName !== undefined) {
		return link.token !== undefined
			? { kind: 'switching', link: link.token, current: stored, currentName }
			: { kind: 'pairing', code: link.code, current: stored };
	}
	forgetToken(stored);
	await forgetPhone();
	if (link.token === undefined) return { kind: 'pairing', code: link.code };
	saveToken(link.token);
	return { kind: 'paired', token: link.token };
}

/** The name of the token's phone, or undefined if the server no longer knows it. */
async function fetchPhoneName(token: string): Promise<string | undefined> {
	try {
		return (await pageClient(token).call('GET /snapshot')).device.name;
	} catch (error) {
		return isDisconnected(error) ? undefined : 'the current phone';
	}
}
