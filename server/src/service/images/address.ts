import type { ServiceSettings } from '../context.ts';
import { invalid } from '../refusal.ts';
import { hashSecret } from '../secrets.ts';

const FOLDER = '/images/';

/** The start of the address of every picture. @throws Refusal `invalid` if phones could not fetch it */
export function requireImageAddress({ publicUrl }: ServiceSettings): string {
	if (!/^https:\/\//i.test(publicUrl)) {
		throw invalid(
			'No https address',
			'Phones fetch pictures from this server by https only. Set BECKON_PUBLIC_URL on the server to its https address.',
		);
	}
	return publicUrl.replace(/\/+$/, '') + FOLDER;
}

/** The hash of the path if the URL is that of a picture of this server. */
export function readImageHash(
	{ publicUrl }: ServiceSettings,
	url: string | undefined,
): string | undefined {
	const address = publicUrl.replace(/\/+$/, '') + FOLDER;
	return publicUrl !== '' && url?.startsWith(address)
		? hashSecret(url.slice(address.length))
		: undefined;
}
