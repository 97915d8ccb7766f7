import type { PushState } from './push-registration.ts';

export interface Capability {
	name: string;
	/** `partly`: works, with a limit named in `words`. */
	can: 'yes' | 'partly' | 'no';
	words: string;
}

/** The browser's properties that decide its capabilities. */
export interface CapabilityEnvironment {
	push: PushState['kind'];
	isIos: boolean;
	isInstalled: boolean;
	canInstall: boolean;
	hasBadge: boolean;
	/** The most buttons a notification can have; undefined: none. */
	maxActions: number | undefined;
	canVibrate: boolean;
	hasWorker: boolean;
}

/** The capabilities and limits of this browser as a phone, in plain words. */
export function capabilitiesOf(environment: CapabilityEnvironment): Capability[] {
	return [
		notifications(environment),
		badge(environment),
		buttons(environment),
		activities(environment),
		environment.canVibrate
			? {
					name: 'Sound and vibration',
					can: 'yes',
					words: 'Sounds here; your system decides for notifications.',
				}
			: {
					name: 'Sound and vibration',
					can: 'partly',
					words: 'Sounds, but this browser cannot vibrate.',
				},
		environment.hasWorker
			? { name: 'Without a network', can: 'yes', words: 'Shows the last state, and timers go on.' }
			: { name: 'Without a network', can: 'no', words: 'The page cannot be opened.' },
		install(environment),
	];
}

const NOTIFICATION_WORDS: Record<PushState['kind'], [Capability['can'], string]> = {
	on: ['yes', 'They come while this page is closed.'],
	checking: ['partly', 'They could come while this page is closed.'],
	ask: ['partly', 'They could come while this page is closed. Allow them above.'],
	off: ['partly', 'They could come while this page is closed, but are switched off.'],
	failed: ['no', 'This browser’s push service cannot be reached now.'],
	denied: ['no', 'You have blocked them. Allow them in the browser’s settings of this site.'],
	'needs-install': [
		'no',
		'On iPhone and iPad only after “Add to Home Screen” (iOS 16.4 or newer).',
	],
	insecure: ['no', 'Browsers allow them only over HTTPS.'],
	unsupported: ['no', 'This browser has no Web Push.'],
};

function notifications({ push }: CapabilityEnvironment): Capability {
	const [can, words] = NOTIFICATION_WORDS[push];
	return { name: 'Notifications in the background', can, words };
}

function activities({ push }: CapabilityEnvironment): Capability {
	const canNotify = ['on', 'ask', 'off', 'checking'].includes(push);
	return {
		name: 'Live Activities',
		can: 'partly',
		words: canNotify
			? 'Live on this page. While it is closed, each is one notification that changes quietly.'
			: 'Live on this page; nothing of them while it is closed.',
	};
}

function badge({ hasBadge, isInstalled }: CapabilityEnvironment): Capability {
	const name = 'Badge on the app icon';
	if (!hasBadge)
		return { name, can: 'no', words: 'This browser has none; it stands in the page’s title.' };
	return isInstalled
		? {
				name,
				can: 'partly',
				words: 'Changes with the next notification, and when you open the app.',
			}
		: { name, can: 'no', words: 'Only once this page is installed as an app.' };
}

function buttons({ maxActions = 0 }: CapabilityEnvironment): Capability {
	const name = 'Buttons on notifications';
	if (maxActions === 0)
		return { name, can: 'no', words: 'Only here in the page; tap a notification to get here.' };
	return {
		name,
		can: maxActions < 4 ? 'partly' : 'yes',
		words: `The first ${maxActions}; all of them here in the page.`,
	};
}

function install({ isInstalled, isIos, canInstall }: CapabilityEnvironment): Capability {
	const name = 'Installed as an app';
	if (isInstalled) return { name, can: 'yes', words: 'It is.' };
	if (isIos) return { name, can: 'partly', words: 'In Safari: Share, then “Add to Home Screen”.' };
	return canInstall
		? { name, can: 'partly', words: 'It can be, with the button below.' }
		: {
				name,
				can: 'no',
				words: 'Look for “Install” in the browser’s menu; not every browser has it.',
			};
}
