import type { TapRequest } from '../../server/src/contract/device.ts';
import { readCode } from '../../server/web/device/pairing-code.ts';

/** What a link or a QR code asks the app to do. */
export type AppLink =
	| { kind: 'pair'; origin: string; code: string }
	| { kind: 'tap'; tap: Omit<Extract<TapRequest, { activity_id: string }>, 'tap_id'> }
	| { kind: 'open' };

/** The server's address as typed, with or without `https://` and the path of its page. Undefined if invalid. */
export function readOrigin(typed: string): string | undefined {
	const text = typed.trim();
	try {
		const url = new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`);
		return url.hostname === '' ? undefined : `${url.protocol}//${url.host}${pathOf(url)}`;
	} catch {
		return undefined;
	}
}

/** The part of the path before the server's own pages. */
const pathOf = ({ pathname }: URL) => pathname.replace(/\/(phone|console)?\/?$/, '');

/**
 * Reads the server's own pairing link (`https://…/phone#code=…`), and this app's links
 * (`beckon://pair?server=…&code=…`, `beckon://tap/ACTIVITY/ACTION/UPDATED_AT/KEY`). Undefined for anything else.
 */
export function readLink(text: string): AppLink | undefined {
	const [, host, path = '', query = ''] =
		/^beckon:\/\/([\w-]+)(?:\/([^?#]*))?(?:\?(.*))?$/.exec(text) ?? [];
	const [page = '', hash = ''] = text.split('#');
	const parameters = new URLSearchParams(host === 'pair' ? query : hash);
	const code = readCode(parameters.get('code') ?? '');
	const origin = readOrigin(host === 'pair' ? (parameters.get('server') ?? '') : page);
	if (host === 'pair' || /^https?:/.test(text))
		return code !== undefined && origin !== undefined ? { kind: 'pair', origin, code } : undefined;
	if (host === undefined) return undefined;
	const [activity_id, action, updated_at, link_key] = path.split('/');
	const isAction = action === 'action' || action === 'secondary_action';
	if (host === 'tap' && activity_id && isAction && updated_at && link_key)
		return { kind: 'tap', tap: { activity_id, action, updated_at, link_key } };
	return { kind: 'open' };
}
