/** Sets the number on the installed app's icon. No effect in a tab or without browser support. */
export function showAppBadge(badge: number): void {
	if (!('setAppBadge' in navigator)) return;
	const shown = badge > 0 ? navigator.setAppBadge(badge) : navigator.clearAppBadge();
	shown.catch(() => undefined);
}
