import { Burger, NavLink, Text, UnstyledButton } from '@mantine/core';
import {
	IconActivity,
	IconChartBar,
	IconDeviceMobile,
	IconGauge,
	IconHash,
	IconHistory,
	IconKey,
	IconListDetails,
	IconLogout,
	IconMessageQuestion,
	IconPlayerPlay,
	IconUsers,
} from '@tabler/icons-react';
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { AppIcon } from '../../phone/components/app-icon.tsx';
import { Appearance } from './appearance.tsx';
import { useChanges } from '../hooks/use-changes.tsx';
import { KeysDialog, useKeys } from './keys.tsx';
import { useKeptFocus } from '../hooks/use-kept-focus.ts';
import { useSession } from '../session.tsx';

export const PLACES: Array<{
	path: string;
	name: string;
	ownersOnly?: true;
	icon: ComponentType<{ size?: number | string }>;
}> = [
	{ path: '/live', name: 'Live now', icon: IconActivity },
	{ path: '/playground', name: 'Playground', icon: IconPlayerPlay },
	{ path: '/questions', name: 'Questions', icon: IconMessageQuestion },
	{ path: '/history', name: 'History', icon: IconHistory },
	{ path: '/devices', name: 'Phones', icon: IconDeviceMobile },
	{ path: '/channels', name: 'Channels', icon: IconHash },
	{ path: '/metrics', name: 'Metrics', icon: IconGauge },
	{ path: '/keys', name: 'API keys', icon: IconKey },
	{ path: '/members', name: 'People', icon: IconUsers },
	{ path: '/usage', name: 'Usage and limits', icon: IconChartBar },
	{ path: '/audit', name: 'Audit log', icon: IconListDetails, ownersOnly: true },
];

/** Opened through the member's own name, below the other pages. */
export const ACCOUNT = { path: '/account', name: 'Your account' };

interface ShellProps {
	path: string;
	onSignOut: () => void;
	children: ReactNode;
}

/** The navigation on the left, or behind a button on a narrow screen. */
export function Shell({ path, onSignOut, children }: ShellProps) {
	const [isOpen, setIsOpen] = useState(false);
	const burger = useRef<HTMLButtonElement>(null);
	const { account, member, isOwner } = useSession();
	const places = PLACES.filter(({ ownersOnly }) => !ownersOnly || isOwner);
	const { isConnected } = useChanges();
	useKeptFocus();
	const keys = useKeys();
	useFocusOnPage(path);
	return (
		<div className="shell">
			<a className="skip" href="#main" onClick={skipToMain}>
				Skip to the page
			</a>
			<header
				className="side"
				data-open={isOpen}
				onKeyDown={({ key }) => {
					if (key !== 'Escape' || !isOpen) return;
					setIsOpen(false);
					burger.current?.focus();
				}}
			>
				<div className="brand">
					<AppIcon className="brand-icon" />
					<div className="brand-names">
						<Text fw={700}>Beckon</Text>
						<Text size="sm" c="dimmed" truncate>
							{account.name}
						</Text>
					</div>
					<Burger
						ref={burger}
						className="burger"
						opened={isOpen}
						onClick={() => setIsOpen(!isOpen)}
						aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
						aria-expanded={isOpen}
						size="sm"
					/>
				</div>
				<nav className="places" aria-label="Pages">
					{places.map(({ path: place, name, icon: Icon }) => (
						<NavLink
							key={place}
							href={`#${place}`}
							label={name}
							leftSection={<Icon size={18} />}
							active={place === path}
							aria-current={place === path ? 'page' : undefined}
							onClick={() => setIsOpen(false)}
						/>
					))}
				</nav>
				<Appearance />
				<div className="who">
					<UnstyledButton
						component="a"
						className="brand-names"
						href={`#${ACCOUNT.path}`}
						title={ACCOUNT.name}
						aria-current={path === ACCOUNT.path ? 'page' : undefined}
						onClick={() => setIsOpen(false)}
					>
						<Text size="sm" truncate>
							{member.name}
						</Text>
						<Text size="xs" c="dimmed">
							{member.role === 'owner' ? 'Owner' : 'Member'} · Your account
						</Text>
					</UnstyledButton>
					<UnstyledButton className="sign-out" onClick={onSignOut} title="Sign out">
						<IconLogout size={18} aria-hidden />
						<span className="visually-hidden">Sign out</span>
					</UnstyledButton>
				</div>
			</header>
			<main id="main" tabIndex={-1}>
				<p className="offline" role="status">
					{!isConnected &&
						'The server cannot be reached: this is what was known last. Reconnecting…'}
				</p>
				{children}
			</main>
			<KeysDialog opened={keys.isShown} onClose={keys.hide} />
		</div>
	);
}

/** Moves focus to the page just opened, from a link that may be gone or hidden. */
function useFocusOnPage(path: string): void {
	const shown = useRef(path);
	useEffect(() => {
		if (shown.current === path) return;
		shown.current = path;
		window.scrollTo(0, 0);
		// A key that opened the page for its search has focused it already.
		if (!document.activeElement?.closest('main search')) focusMain();
	}, [path]);
}

function focusMain(): void {
	document.getElementById('main')?.focus({ preventScroll: true });
}

/** Moves focus without following the link: the part behind the # is the current page. */
function skipToMain(event: React.MouseEvent): void {
	event.preventDefault();
	focusMain();
}
