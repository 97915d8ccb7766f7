import { currentPath } from './hooks/use-route.ts';
import { knownPath, preload } from './routes.ts';

export const loadInside = async () => ({ default: (await import('./inside.tsx')).Inside });

/** Starts the download of what a member sees at this address. A failure is reported when it is shown. */
export function preloadInside(): void {
	loadInside().catch(() => undefined);
	preload(knownPath(currentPath()));
}
