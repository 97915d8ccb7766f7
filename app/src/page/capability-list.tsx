/** Replaces the page's list of what a browser can do. */
export function CapabilityList() {
	return null;
}
