import { type ComponentType, lazy } from 'react';

type Load = () => Promise<{ default: ComponentType }>;

/** Each page is a separate download: a visit fetches only what it shows. */
const LOADS: Record<string, Load> = {
	'/live': async () => ({ default: (await import('./pages/live.tsx')).Live }),
	'/playground': async () => ({
		default: (await import('./playground/playground.tsx')).Playground,
	}),
	'/questions': async () => ({ default: (await import('./pages/questions.tsx')).Questions }),
	'/history': async () => ({ default: (await import('./pages/history.tsx')).History }),
	'/devices': async () => ({ default: (await import('./pages/devices.tsx')).Devices }),
	'/channels': async () => ({ default: (await import('./pages/channels.tsx')).Channels }),
	'/metrics': async () => ({ default: (await import('./pages/metrics.tsx')).Metrics }),
	'/keys': async () => ({ default: (await import('./pages/keys.tsx')).Keys }),
	'/members': async () => ({ default: (await import('./pages/members.tsx')).People }),
	'/usage': async () => ({ default: (await import('./pages/usage.tsx')).Usage }),
	'/audit': async () => ({ default: (await import('./pages/audit.tsx')).Audit }),
	'/account': async () => ({ default: (await import('./pages/account.tsx')).Account }),
};

export const PAGES = new Map(Object.entries(LOADS).map(([path, load]) => [path, lazy(load)]));

const HOME = '/live';

/** The path of a known page; for any other, that of the home page. */
export function knownPath(path: string): string {
	return PAGES.has(path) ? path : HOME;
}

/** Starts a page's download before it is shown. A failure is reported when it is shown. */
export function preload(path: string): void {
	LOADS[path]?.().catch(() => undefined);
}
