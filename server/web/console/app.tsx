import { lazy, useCallback, useEffect, useState } from 'react';
import type { ConsoleSession } from '../../src/contract/console/members.ts';
import { ApiError, call, onSessionOver } from './api.ts';
import { Loaded } from './components/loaded.tsx';
import { Loading } from './components/page.tsx';
import { loadInside, preloadInside } from './load-inside.ts';
import { rememberVisit } from './visit.ts';

const Inside = lazy(loadInside);
const Join = lazy(async () => ({ default: (await import('./pages/join.tsx')).Join }));
const SignIn = lazy(async () => ({ default: (await import('./pages/sign-in.tsx')).SignIn }));

/** The link's token while its page is open: a reload keeps it, and no history or log has it. */
const STORED_TOKEN = 'beckon-link';

/** The token of a setup, invitation or reset link, removed from the address to keep it out of the history. */
function takeLinkToken(): string | undefined {
	const token = /^#(?:setup|invite|reset)=(.+)$/.exec(window.location.hash)?.[1];
	if (token === undefined) return undefined;
	window.history.replaceState(null, '', window.location.pathname);
	sessionStorage.setItem(STORED_TOKEN, token);
	return token;
}

export function App() {
	const [link, setLink] = useState(
		() => takeLinkToken() ?? sessionStorage.getItem(STORED_TOKEN) ?? undefined,
	);
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
	useEffect(() => {
		if (session) preloadInside();
		if (session !== undefined) rememberVisit(session !== null);
	}, [session]);
	const dropLink = useCallback(() => {
		sessionStorage.removeItem(STORED_TOKEN);
		setLink(undefined);
	}, []);
	const enter = useCallback(
		(entered: ConsoleSession) => {
			dropLink();
			setIsOver(false);
			setSession(entered);
		},
		[dropLink],
	);

	if (link !== undefined)
		return (
			<Loaded>
				<Join key={link} token={link} onDone={enter} onGiveUp={dropLink} />
			</Loaded>
		);
	if (session === undefined) return <Loading />;
	return (
		<Loaded>
			{session === null ? (
				<SignIn isOver={isOver} onDone={enter} />
			) : (
				<Inside entered={session} onLeave={() => setSession(null)} />
			)}
		</Loaded>
	);
}
