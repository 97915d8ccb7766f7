import { isObject } from './answer';

/** A feature with its own allowance (docs/api-decisions.md "Rate limits"). */
export type Feature =
	'notifications' | 'badges' | 'live-activities' | 'metrics' | 'images' | 'questions' | 'lists';

type CallBody = Record<string, unknown>;

/** One request to the service. */
export interface BeckonRequest {
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Relative to the credential's base URL, path segments already encoded. */
	path: string;
	body?: CallBody | Buffer;
	headers?: Record<string, string> | undefined;
	/** For binary bodies. */
	contentType?: string;
}

/** The request of an operation. */
export interface BeckonCall extends BeckonRequest {
	body: CallBody;
}

/** A request with the bytes of a file. */
export interface UploadCall extends BeckonRequest {
	method: 'POST';
	body: Buffer;
	contentType: string;
}

const FEATURES: ReadonlyArray<[prefix: string, feature: Feature]> = [
	['/push-notification', 'notifications'],
	['/badge', 'badges'],
	['/metrics/', 'metrics'],
	['/live-activity/', 'live-activities'],
	['/images', 'images'],
	['/questions/', 'questions'],
];

/** The feature whose allowance a call uses (docs/api-decisions.md "Rate limits"). */
export function toFeature({ method, path }: BeckonCall | UploadCall): Feature {
	if (method === 'GET') return path.startsWith('/questions') ? 'questions' : 'lists';
	const [, feature] = FEATURES.find(([prefix]) => path.startsWith(prefix)) ?? [];
	return feature ?? 'notifications';
}

const REPEATED = '/push-notification/repeated';

/** Asking a question also counts as a push. */
const PUSHES = ['/push-notification', REPEATED, '/questions'];

/** Names what a push replaces (docs/api-decisions.md "Replacing a push"). */
export const SEQUENCE_HEADER = 'X-Sequence-ID';

/** Seconds until a push expires (docs/api-decisions.md "Expiry"). */
export const TTL_HEADER = 'TTL';

const NEW_EACH_TIME = [...PUSHES, '/live-activity/start', '/images'];

/** True for a call that has an idempotency key. */
export function isPush({ method, path }: BeckonRequest): boolean {
	return method === 'POST' && PUSHES.includes(path);
}

/**
 * The subject of a call: a stream, an activity, a metric, the badge, or what a push replaces. Calls with the same subject keep
 * the order of their items. Undefined for a call that makes something new.
 */
export function toSubject({ path, body, headers }: BeckonCall | UploadCall): string | undefined {
	const sequence = headers?.[SEQUENCE_HEADER];
	if (sequence !== undefined) return `sequence ${sequence}`;
	if (NEW_EACH_TIME.includes(path) || Buffer.isBuffer(body)) return undefined;
	const activityId = body['activity_id'];
	return typeof activityId === 'string' ? `activity ${activityId}` : path;
}

/** True if a call that may have arrived can be sent again, because it would set the same state. */
export function isRepeatable(call: BeckonCall | UploadCall): boolean {
	// A picture stored twice is deleted unless a push uses it.
	if (Buffer.isBuffer(call.body)) return true;
	if (call.method === 'PUT') return !hasEffectEachTime(call.body);
	if (call.method === 'GET') return true;
	// Stopping or withdrawing again changes nothing; an activity that has ended is not found.
	if (call.method === 'DELETE' && !call.path.startsWith('/live-activity/')) return true;
	return ['badges', 'metrics'].includes(toFeature(call));
}

/** Every alert rings, and every duration restarts the timer. */
function hasEffectEachTime(body: CallBody): boolean {
	const state = body['content_state'];
	return (
		body['alert'] !== undefined || (isObject(state) && state['duration_seconds'] !== undefined)
	);
}
