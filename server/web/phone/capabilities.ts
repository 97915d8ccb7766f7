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

/** Whether the browser can do something, and the words for it. */
type Ability = readonly [can: Capability['can'], words: string];

/** The capabilities and limits of this browser as a phone, in plain words. */
export function toCapabilities(environment: CapabilityEnvironment): Capability[] {
	const abilities: Array<[name: string, ability: Ability]> = [
		['Notifications in the background', NOTIFICATIONS[environment.push]],
		['Badge on the app icon', badge(environment)],
		['Buttons on notifications', buttons(environment)],
		['Live Activities', activities(environment)],
		...(environment.isIos ? IOS_LIMITS : []),
		[
			'Sound and vibration',
			environment.canVibrate
				? ['yes', 'Plays sounds on this page; notification sounds follow your system settings.']
				: ['partly', 'Sound only: this browser cannot vibrate.'],
		],
		[
			'Offline',
			environment.hasWorker
				? ['yes', 'Shows the last known state, and timers keep running.']
				: ['no', 'The page cannot open.'],
		],
		['Installed as an app', install(environment)],
	];
	return abilities.map(([name, [can, words]]) => ({ name, can, words }));
}

/** What Safari on iOS leaves out of notifications; the buttons are missing from `maxActions` too. */
const IOS_LIMITS: Array<[name: string, ability: Ability]> = [
	[
		'Silent notifications',
		['no', 'What the sender, Sound or a channel wants silent may still make a sound: iOS decides.'],
	],
	[
		'Swiping notifications away',
		[
			'no',
			'Beckon isn’t told: the notification stays on this page and on your other phones, and keeps repeating. Dismiss it here, or tap it.',
		],
	],
];

const NOTIFICATIONS: Record<PushState['kind'], Ability> = {
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

function activities({ push, isIos }: CapabilityEnvironment): Ability {
	if (!['on', 'ask', 'off', 'checking'].includes(push))
		return ['partly', 'Live on this page only.'];
	const closed = isIos
		? 'each is one notification, which iOS shows anew for its start, alerts, answers and end, and for other updates once in ten minutes.'
		: 'each is one notification that updates silently.';
	return ['partly', `Live on this page. When it is closed, ${closed}`];
}

function badge({ hasBadge, isInstalled }: CapabilityEnvironment): Ability {
	if (!hasBadge) return ['no', 'Not in this browser. The page title shows it.'];
	if (!isInstalled) return ['no', 'Only when installed as an app.'];
	return ['partly', 'Updates with the next notification, and when you open the app.'];
}

function buttons({ maxActions = 0 }: CapabilityEnvironment): Ability {
	if (maxActions === 0) return ['no', 'On this page only. Tap a notification to open it.'];
	const words = `The first ${maxActions}; all of them on this page.`;
	return [maxActions < 4 ? 'partly' : 'yes', words];
}

function install({ isInstalled, isIos, canInstall }: CapabilityEnvironment): Ability {
	if (isInstalled) return ['yes', 'Installed.'];
	if (isIos) return ['partly', 'In Safari: Share, then “Add to Home Screen”.'];
	if (canInstall) return ['partly', 'Available: use the button below.'];
	return ['no', 'Look for “Install” in the browser’s menu. Not every browser has it.'];
}
