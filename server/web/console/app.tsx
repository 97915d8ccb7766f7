import { Center, Loader } from '@mantine/core';
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import type { ConsoleSession } from '../../src/contract/console/members.ts';
import { api, ApiError, onSessionOver } from './api.ts';
import { ACCOUNT, PLACES, Shell } from './components/shell.tsx';
import { ChangesProvider } from './hooks/use-changes.tsx';
import { useData } from './hooks/use-data.ts';
import { useRoute } from './hooks/use-route.ts';
import { Account } from './pages/account.tsx';
import { Audit } from './pages/audit.tsx';
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
	'/audit': Audit,
	'/account': Account,
};

/** The token of a setup, invitation or reset link, removed from the address to keep it out of the history. */
function takeLinkToken(): string | undefined {
	const token = /^#(?:setup|invite|reset)=(.+)$/.exec(window.location.hash)?.[1];
	if (token !== undefined) window.history.replaceState(null, '', window.location.pathname);
	return token;
}

export function App() {
	const [link, setLink] = useState(takeLinkToken);
	const [session, setSession] = useState<ConsoleSession | null>();
	const [isOver, setIsOver] = useState(false);
	useEffect(() => {
		// Pasting a link into an open console changes only the part behind the #.
		const takeLink = () => setLink((current) => takeLinkToken() ?? current);
		window.addEventListener('hashchange', takeLink);
		return () => window.removeEventListener('hashchange', takeLink);
	}, []);
	useEffect(() => {
		onSessionOver(() => {
			setIsOver(true);
			setSession(null);
		});
		api.session().then(setSession, (error: unknown) => {
			if (!(error instanceof ApiError) || error.status !== 401) console.warn(error);
			setSession(null);
		});
	}, []);
	const enter = useCallback((entered: ConsoleSession) => {
		setLink(undefined);
		setIsOver(false);
		setSession(entered);
	}, []);

	if (link !== undefined)
		return <Join key={link} token={link} onDone={enter} onGiveUp={() => setLink(undefined)} />;
	if (session === undefined)
		return (
			<Center mih="100vh">
				<Loader aria-label="Loading" />
			</Center>
		);
	if (session === null) return <SignIn isOver={isOver} onDone={enter} />;
	return <Inside entered={session} onLeave={() => setSession(null)} />;
}

function Inside({ entered, onLeave }: { entered: ConsoleSession; onLeave: () => void }) {
	const route = useRoute();
	const path = route in PAGES ? route : '/live';
	const name = [...PLACES, ACCOUNT].find((place) => place.path === path)?.name ?? 'Live now';
	useEffect(() => {
		document.title = `${name} · Beckon`;
	}, [name]);
	const signOut = () => {
		api.logout().then(onLeave, onLeave);
	};
	return (
		<ChangesProvider>
			<Signed entered={entered} path={path} onSignOut={signOut} />
		</ChangesProvider>
	);
}

interface SignedProps {
	entered: ConsoleSession;
	path: string;
	onSignOut: () => void;
}

/** The signed-in member's role may change while the page is open. */
function Signed({ entered, path, onSignOut }: SignedProps) {
	const { data: session = entered } = useData<ConsoleSession>('/session');
	const Shown = PAGES[path] ?? Live;
	return (
		<SessionContext value={session}>
			<Shell path={path} onSignOut={onSignOut}>
				<Shown />
			</Shell>
		</SessionContext>
	);
}
