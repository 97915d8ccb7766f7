import { useEffect } from 'react';
import type { ConsoleSession } from '../../src/contract/console/members.ts';
import { signOut } from './api.ts';
import { Loaded } from './components/loaded.tsx';
import { ACCOUNT, PLACES, Shell } from './components/shell.tsx';
import { ChangesProvider } from './hooks/use-changes.tsx';
import { useSetting } from './hooks/use-data.ts';
import { useRoute } from './hooks/use-route.ts';
import { knownPath, PAGES } from './routes.ts';
import { SessionContext } from './session.tsx';
import './styles/pages.css';
import './styles/lists.css';

interface InsideProps {
	entered: ConsoleSession;
	onLeave: () => void;
}

/** All that a signed-in member sees. */
export function Inside(props: InsideProps) {
	return (
		<ChangesProvider>
			<Signed {...props} />
		</ChangesProvider>
	);
}

/** The signed-in member's role may change while the page is open. */
function Signed({ entered, onLeave }: InsideProps) {
	const { data: session = entered } = useSetting('GET /session', entered);
	const path = knownPath(useRoute().path);
	const name = [...PLACES, ACCOUNT].find((place) => place.path === path)?.name ?? 'Beckon';
	useEffect(() => {
		document.title = `${name} · Beckon`;
	}, [name]);
	const Shown = PAGES.get(path);
	return (
		<SessionContext value={session}>
			<Shell path={path} onSignOut={() => void signOut().then(onLeave, onLeave)}>
				<Loaded key={path}>{Shown && <Shown />}</Loaded>
			</Shell>
		</SessionContext>
	);
}
