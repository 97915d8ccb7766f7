import { useEffect } from 'react';
import type { ConsoleSession } from '../../src/contract/console/members.ts';
import { signOut } from './api.ts';
import { Loaded } from './components/loaded.tsx';
import { ACCOUNT, PLACES, Shell } from './components/shell.tsx';
import { ChangesProvider } from './hooks/use-changes.tsx';
import { useSetting } from './hooks/use-data.ts';
import { useRoute } from './hooks/use-route.ts';
import { knownPath, pageAt } from './routes.ts';
import { SessionContext } from './session.tsx';
import './styles/pages.css';
import './styles/lists.css';

/** All that a signed-in member sees. */
export function Inside({ entered, onLeave }: { entered: ConsoleSession; onLeave: () => void }) {
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
