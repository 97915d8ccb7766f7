import { readCode } from '../../server/web/device/pairing-code.ts';

/** What a link or a QR code asks the app to do. */
export type AppLink =
	| { kind: 'pair'; origin: string; code: string }
	| { kind: 'tap'; activityId: string; action: 'action' | 'secondary_action'; updatedAt?: string }
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
 * (`beckon://pair?server=…&code=…`, `beckon://tap/ACTIVITY/ACTION/UPDATED_AT`). Undefined for anything else.
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
	const [activityId, action, updatedAt] = path.split('/');
	const isAction = action === 'action' || action === 'secondary_action';
	if (host === 'tap' && activityId && isAction)
		return { kind: 'tap', activityId, action, ...(updatedAt && { updatedAt }) };
	return { kind: 'open' };
}
