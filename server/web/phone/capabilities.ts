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
export function toCapabilities(environment: CapabilityEnvironment): Capability[] {
	return [
		notifications(environment),
		badge(environment),
		buttons(environment),
		activities(environment),
		...(environment.isIos ? IOS_LIMITS : []),
		environment.canVibrate
			? {
					name: 'Sound and vibration',
					can: 'yes',
					words: 'Plays sounds on this page; notification sounds follow your system settings.',
				}
			: {
					name: 'Sound and vibration',
					can: 'partly',
					words: 'Sound only: this browser cannot vibrate.',
				},
		environment.hasWorker
			? {
					name: 'Offline',
					can: 'yes',
					words: 'Shows the last known state, and timers keep running.',
				}
			: { name: 'Offline', can: 'no', words: 'The page cannot open.' },
		install(environment),
	];
}

/** What Safari on iOS leaves out of notifications; the buttons are missing from `maxActions` too. */
const IOS_LIMITS: Capability[] = [
	{
		name: 'Silent notifications',
		can: 'no',
		words: 'What the sender, Sound or a channel wants silent may still make a sound: iOS decides.',
	},
	{
		name: 'Swiping notifications away',
		can: 'no',
		words:
			'Beckon does not learn of it: the notification stays on this page and on your other phones, and repeats go on. Dismiss it here, or tap it.',
	},
];

const NOTIFICATION_WORDS: Record<PushState['kind'], [Capability['can'], string]> = {
	on: ['yes', 'On, even when Beckon is closed.'],
	checking: ['partly', 'Available.'],
	ask: ['partly', 'Available. Allow them above.'],
	off: ['partly', 'Available, but turned off.'],
	failed: ['no', 'Could not reach this browser’s push service.'],
	denied: ['no', 'You have blocked them. Allow them in the browser’s settings for this site.'],
	'needs-install': [
		'no',
		'On iPhone and iPad only after “Add to Home Screen” (iOS 16.4 or newer).',
	],
	insecure: ['no', 'Browsers allow them only over HTTPS.'],
	unsupported: ['no', 'This browser does not support Web Push.'],
};

function notifications({ push }: CapabilityEnvironment): Capability {
	const [can, words] = NOTIFICATION_WORDS[push];
	return { name: 'Notifications in the background', can, words };
}

function activities({ push, isIos }: CapabilityEnvironment): Capability {
	const canNotify = ['on', 'ask', 'off', 'checking'].includes(push);
	const closed = isIos
		? 'each is one notification, which iOS shows anew for its start, alerts, answers and end, and for other updates once in ten minutes.'
		: 'each is one notification that updates silently.';
	return {
		name: 'Live Activities',
		can: 'partly',
		words: canNotify
			? `Live on this page. When it is closed, ${closed}`
			: 'Live on this page only.',
	};
}

function badge({ hasBadge, isInstalled }: CapabilityEnvironment): Capability {
	const name = 'Badge on the app icon';
	if (!hasBadge) return { name, can: 'no', words: 'Not in this browser. The page title shows it.' };
	return isInstalled
		? {
				name,
				can: 'partly',
				words: 'Updates with the next notification, and when you open the app.',
			}
		: { name, can: 'no', words: 'Only when installed as an app.' };
}

function buttons({ maxActions = 0 }: CapabilityEnvironment): Capability {
	const name = 'Buttons on notifications';
	if (maxActions === 0)
		return { name, can: 'no', words: 'On this page only. Tap a notification to open it.' };
	return {
		name,
		can: maxActions < 4 ? 'partly' : 'yes',
		words: `The first ${maxActions}; all of them on this page.`,
	};
}

function install({ isInstalled, isIos, canInstall }: CapabilityEnvironment): Capability {
	const name = 'Installed as an app';
	if (isInstalled) return { name, can: 'yes', words: 'Installed.' };
	if (isIos) return { name, can: 'partly', words: 'In Safari: Share, then “Add to Home Screen”.' };
	return canInstall
		? { name, can: 'partly', words: 'Available: use the button below.' }
		: {
				name,
				can: 'no',
				words: 'Look for “Install” in the browser’s menu. Not every browser has it.',
			};
}
