/** The number on the icon of the installed app; a browser that has none, or a page in a tab, shows nothing. */
export function showAppBadge(badge: number): void {
	if (!('setAppBadge' in navigator)) return;
	const shown = badge > 0 ? navigator.setAppBadge(badge) : navigator.clearAppBadge();
	shown.catch(() => undefined);
}
