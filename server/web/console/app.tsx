import { Center, Loader } from '@mantine/core';
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import type { ConsoleSession } from '../../src/contract/console/people.ts';
import { api, ApiError } from './api.ts';
import { Shell, PLACES } from './components/shell.tsx';
import { ChangesProvider } from './hooks/use-changes.tsx';
import { useRoute } from './hooks/use-route.ts';
import { Channels } from './pages/channels.tsx';
import { Devices } from './pages/devices.tsx';
import { History } from './pages/history.tsx';
import { Join } from './pages/join.tsx';
import { Keys } from './pages/keys.tsx';
import { Live } from './pages/live.tsx';
import { Members } from './pages/members.tsx';
import { Metrics } from './pages/metrics.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { Usage } from './pages/usage.tsx';
import { Playground } from './playground/playground.tsx';
import { SessionContext } from './session.tsx';

const PAGES: Record<string, ComponentType> = {
	'/live': Live,
	'/playground': Playground,
	'/history': History,
	'/devices': Devices,
	'/channels': Channels,
	'/metrics': Metrics,
	'/keys': Keys,
	'/members': Members,
	'/usage': Usage,
};

/** The token of a setup or invitation link, taken out of the address so that it stays in no history. */
function takeLinkToken(): string | undefined {
	const token = /^#(?:setup|invite)=(.+)$/.exec(window.location.hash)?.[1];
	if (token !== undefined) window.history.replaceState(null, '', window.location.pathname);
	return token;
}

export function App() {
	const [link, setLink] = useState(takeLinkToken);
	const [session, setSession] = useState<ConsoleSession | null>();
	useEffect(() => {
		api.session().then(setSession, (error: unknown) => {
			if (!(error instanceof ApiError) || error.status !== 401) console.warn(error);
			setSession(null);
		});
	}, []);
	const enter = useCallback((entered: ConsoleSession) => {
		setLink(undefined);
		setSession(entered);
	}, []);

	if (link !== undefined)
		return <Join token={link} onDone={enter} onGiveUp={() => setLink(undefined)} />;
	if (session === undefined)
		return (
			<Center mih="100vh">
				<Loader aria-label="Loading" />
			</Center>
		);
	if (session === null) return <SignIn onDone={enter} />;
	return <Inside session={session} onLeave={() => setSession(null)} />;
}

function Inside({ session, onLeave }: { session: ConsoleSession; onLeave: () => void }) {
	const route = useRoute();
	const path = route in PAGES ? route : '/live';
	const Shown = PAGES[path] ?? Live;
	const name = PLACES.find((place) => place.path === path)?.name ?? 'Live now';
	useEffect(() => {
		document.title = `${name} · Beckon`;
	}, [name]);
	const signOut = () => {
		api.post('/logout').then(onLeave, onLeave);
	};
	return (
		<SessionContext value={session}>
			<ChangesProvider>
				<Shell path={path} onSignOut={signOut}>
					<Shown />
				</Shell>
			</ChangesProvider>
		</SessionContext>
	);
}
