import { describe, expect, it } from '@jest/globals';
import { type CapabilityEnvironment, toCapabilities } from '../../web/phone/capabilities.ts';
import { type PushEnvironment, toPushState } from '../../web/phone/push-registration.ts';

const CHROMIUM: PushEnvironment = {
	isSecure: true,
	hasPush: true,
	isIos: false,
	isInstalled: false,
	permission: 'default',
};

describe('whether a closed page can be reached', () => {
	it.each<[string, Partial<PushEnvironment>, string]>([
		['a browser that was not asked', {}, 'ask'],
		['one that allows it', { permission: 'granted' }, 'off'],
		['one in which it is blocked', { permission: 'denied' }, 'denied'],
		['plain HTTP', { isSecure: false, hasPush: false, permission: undefined }, 'insecure'],
		['a browser without Web Push', { hasPush: false }, 'unsupported'],
		[
			'Safari on an iPhone',
			{ isIos: true, hasPush: false, permission: undefined },
			'needs-install',
		],
		[
			'an old iPhone’s home screen',
			{ isIos: true, isInstalled: true, hasPush: false },
			'unsupported',
		],
		['an iPhone’s home screen', { isIos: true, isInstalled: true }, 'ask'],
	])('%s', (_name, differs, kind) => {
		expect(toPushState({ ...CHROMIUM, ...differs }).kind).toBe(kind);
	});
});

describe('what a browser can do', () => {
	const environment: CapabilityEnvironment = {
		push: 'on',
		isIos: false,
		isInstalled: true,
		canInstall: false,
		hasBadge: true,
		maxActions: 2,
		canVibrate: true,
		hasWorker: true,
	};
	const can = (differs: Partial<CapabilityEnvironment>, name: string) =>
		toCapabilities({ ...environment, ...differs }).find((one) => one.name.startsWith(name));

	it.each<[string, Partial<CapabilityEnvironment>, string, string]>([
		['Notifications', {}, 'yes', 'even when Beckon is closed'],
		['Notifications', { push: 'insecure' }, 'no', 'HTTPS'],
		['Notifications', { push: 'needs-install' }, 'no', 'Add to Home Screen'],
		['Badge', {}, 'partly', 'with the next notification'],
		['Badge', { isInstalled: false }, 'no', 'installed'],
		['Badge', { hasBadge: false }, 'no', 'title'],
		['Buttons', {}, 'partly', 'first 2'],
		['Buttons', { maxActions: undefined }, 'no', 'On this page only'],
		['Live Activities', {}, 'partly', 'one notification'],
		['Live Activities', { isIos: true }, 'partly', 'once in ten minutes'],
		['Silent', { isIos: true }, 'no', 'iOS decides'],
		['Swiping', { isIos: true }, 'no', 'keeps repeating'],
		['Live Activities', { push: 'denied' }, 'partly', 'on this page only'],
		['Sound', { canVibrate: false }, 'partly', 'cannot vibrate'],
		['Offline', { hasWorker: false }, 'no', 'cannot open'],
		['Installed', { isInstalled: false, canInstall: true }, 'partly', 'button'],
		['Installed', { isInstalled: false, isIos: true }, 'partly', 'Share'],
	])('%s with %j: %s, because of %s', (name, differs, expected, words) => {
		expect(can(differs, name)).toMatchObject({
			can: expected,
			words: expect.stringContaining(words),
		});
	});

	it('is said in words for each', () => {
		for (const push of ['on', 'checking', 'ask', 'off', 'failed', 'denied', 'unsupported'] as const)
			for (const { words } of toCapabilities({ ...environment, push, isIos: push === 'off' }))
				expect(words).toMatch(/^[A-Z].*\.$/);
	});
});
