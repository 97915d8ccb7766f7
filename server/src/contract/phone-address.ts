/** Not a link: the pages that show it have no address of the repository (scripts/lib/release.ts). */
const OPERATIONS = 'docs/operations.md, "Quick start"';

/** True for hosts that mean the device itself (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291). */
function isThisDevice(hostname: string): boolean {
	return (
		/(^|\.)localhost$/.test(hostname) ||
		/^127(\.\d+){3}$/.test(hostname) ||
		['0.0.0.0', '[::1]', '[::]'].includes(hostname)
	);
}

/**
 * Why a phone cannot open a pairing link, or gets no notifications from it, and how to fix that.
 * @param address base of the link, such as `http://localhost:8787`
 * @returns undefined if phones can use it
 */
export function phoneAddressAdvice(address: string): string | undefined {
	const { hostname, protocol } = new URL(address);
	if (isThisDevice(hostname))
		return `${address} works only on this computer: a phone cannot open it. Set BECKON_PUBLIC_URL to the https address by which phones reach this server, for the server and for its commands (${OPERATIONS}).`;
	if (protocol !== 'https:')
		return `${address} is not https: phones can open the page, but their browsers allow no notifications there. Put https in front of the server and set BECKON_PUBLIC_URL to that address (${OPERATIONS}).`;
	return undefined;
}
