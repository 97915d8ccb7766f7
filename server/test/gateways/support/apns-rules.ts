import type { IncomingHttpHeaders } from 'node:http2';
import type { KeyObject } from 'node:crypto';
import { readJwt } from './jwt.ts';

export interface Refused {
	status: number;
	reason: string;
}

const refused = (status: number, reason: string): Refused => ({ status, reason });

const TOPICS: Record<string, string> = {
	alert: '',
	liveactivity: '.push-type.liveactivity',
	widgets: '.push-type.widgets',
};

/** Apple's documented rules for request headers ("Sending notification requests to APNs"). */
export function checkHeaders(headers: IncomingHttpHeaders, bundleId: string): Refused | undefined {
	if (headers[':method'] !== 'POST') return refused(405, 'MethodNotAllowed');
	if (!/^\/3\/device\/[0-9a-f]+$/.test(headers[':path'] ?? '')) return refused(404, 'BadPath');
	const suffix = TOPICS[String(headers['apns-push-type'])];
	if (suffix === undefined) return refused(400, 'InvalidPushType');
	if (headers['apns-topic'] === undefined) return refused(400, 'MissingTopic');
	if (headers['apns-topic'] !== bundleId + suffix) return refused(400, 'DeviceTokenNotForTopic');
	if (!['1', '5', '10'].includes(String(headers['apns-priority'])))
		return refused(400, 'BadPriority');
	if (Buffer.byteLength(String(headers['apns-collapse-id'] ?? '')) > 64)
		return refused(400, 'BadCollapseId');
	if (!/^\d+$/.test(String(headers['apns-expiration'] ?? '0')))
		return refused(400, 'BadExpirationDate');
	return undefined;
}

export interface ProviderRules {
	key: KeyObject;
	keyId: string;
	teamId: string;
}

/** The provider token: signed with the right key, for the right team, at most an hour old. */
export function checkToken(
	authorization: string | undefined,
	{ key, keyId, teamId }: ProviderRules,
	now: number,
): Refused | undefined {
	if (!authorization) return refused(403, 'MissingProviderToken');
	const jwt = readJwt(authorization.replace(/^bearer /i, ''));
	const isOurs =
		jwt?.header['alg'] === 'ES256' &&
		jwt.header['kid'] === keyId &&
		jwt.claims['iss'] === teamId &&
		jwt.isSignedBy(key);
	if (!isOurs) return refused(403, 'InvalidProviderToken');
	const age = now / 1_000 - Number(jwt.claims['iat']);
	if (age > 3_600) return refused(403, 'ExpiredProviderToken');
	return age < -60 ? refused(403, 'InvalidProviderToken') : undefined;
}

/** Apple's documented rules for the payload, for the kinds sent here. */
export function checkPayload(pushType: string, text: string): Refused | undefined {
	if (text === '') return refused(400, 'PayloadEmpty');
	if (Buffer.byteLength(text) > 4_096) return refused(413, 'PayloadTooLarge');
	let aps: Record<string, any>;
	try {
		({ aps } = JSON.parse(text));
	} catch {
		return refused(400, 'PayloadEmpty');
	}
	const isRight =
		pushType === 'widgets'
			? aps['content-changed'] === true
			: pushType === 'liveactivity'
				? isActivity(aps)
				: typeof aps['alert']?.title === 'string' || Number.isInteger(aps['badge']);
	return isRight ? undefined : refused(400, 'PayloadEmpty');
}

function isActivity(aps: Record<string, any>): boolean {
	const isStart = aps['event'] === 'start';
	return (
		['start', 'update', 'end'].includes(aps['event']) &&
		Number.isInteger(aps['timestamp']) &&
		typeof aps['content-state'] === 'object' &&
		(!isStart ||
			((aps['input-push-token'] === 1) !== (typeof aps['input-push-channel'] === 'string') &&
				typeof aps['attributes-type'] === 'string' &&
				typeof aps['attributes'] === 'object' &&
				typeof aps['alert']?.title === 'string'))
	);
}
