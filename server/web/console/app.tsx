import { Center, Loader } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import type { ConsoleSession } from '../../src/contract/console/members.ts';
import { ApiError, call, onSessionOver, signOut } from './api.ts';
import { LoadBoundary } from './components/load-boundary.tsx';
import { ACCOUNT, PLACES, Shell } from './components/shell.tsx';
import { ChangesProvider } from './hooks/use-changes.tsx';
import { useSetting } from './hooks/use-data.ts';
import { useRoute } from './hooks/use-route.ts';
import { knownPath, pageAt } from './routes.ts';
import { SessionContext } from './session.tsx';

const Join = lazy(async () => ({ default: (await import('./pages/join.tsx')).Join }));
const SignIn = lazy(async () => ({ default: (await import('./pages/sign-in.tsx')).SignIn }));

/** The token of a setup, invitation or reset link, removed from the address to keep it out of the history. */
function takeLinkToken(): string | undefined {
	const token = /^#(?:setup|invite|reset)=(.+)$/.exec(window.location.hash)?.[1];
	if (token !== undefined) window.history.replaceState(null, '', window.location.pathname);
	return token;
}

const Loading = () => (
	<Center mih="60vh">
		<Loader aria-label="Loading" />
	</Center>
);

/** A page whose code may still be loading. */
function Loaded({ children }: { children: ReactNode }) {
	return (
		<LoadBoundary>
			<Suspense fallback={<Loading />}>{children}</Suspense>
		</LoadBoundary>
	);
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
		call('GET /session').then(setSession, (error: unknown) => {
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
		return (
			<Loaded>
				<Join key={link} token={link} onDone={enter} onGiveUp={() => setLink(undefined)} />
			</Loaded>
		);
	if (session === undefined) return <Loading />;
	if (session === null)
		return (
			<Loaded>
				<SignIn isOver={isOver} onDone={enter} />
			</Loaded>
		);
	return <Inside entered={session} onLeave={() => setSession(null)} />;
}

function Inside({ entered, onLeave }: { entered: ConsoleSession; onLeave: () => void }) {
	const path = knownPath(useRoute().path);
	const name = [...PLACES, ACCOUNT].find((place) => place.path === path)?.name ?? 'Beckon';
	useEffect(() => {
		document.title = `${name} · Beckon`;
	}, [name]);
	return (
		<ChangesProvider>
			<Signed
				entered={entered}
				path={path}
				onSignOut={() => void signOut().then(onLeave, onLeave)}
			/>
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
	const { data: session = entered } = useSetting('GET /session', entered);
	const Shown = pageAt(path);
	return (
		<SessionContext value={session}>
			<Shell path={path} onSignOut={onSignOut}>
				<Loaded key={path}>{Shown && <Shown />}</Loaded>
			</Shell>
		</SessionContext>
	);
}
