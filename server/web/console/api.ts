import type { ConsoleSession } from '../../src/contract/console/members.ts';
import { type RequestIssue, toSentences } from '../../src/contract/issues.ts';

/** The server refused, or could not be reached; `message` is for people. */
export class ApiError extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

interface Refused {
	message?: string;
	issues?: RequestIssue[];
}

/** The server's words, with fields named by their form labels: "Current password is wrong." */
function toWords({ message, issues }: Refused): string | undefined {
	const isOfForm = issues?.every(({ path }) => /^[a-z][a-z_]*$/.test(path)) ?? false;
	if (!issues || !isOfForm) return message;
	return toSentences(issues.map((issue) => ({ ...issue, path: toLabel(issue.path) })));
}

function toLabel(field: string): string {
	return field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const BASE = '/console/api';

let csrfToken = '';

/** Called when the session is over: it expired, or somebody removed the member. */
let sessionIsOver: () => void = () => undefined;

export function onSessionOver(notify: () => void): void {
	sessionIsOver = notify;
}

/** A file is sent as it is, everything else as JSON. */
function toContentType(body: unknown): string {
	if (!(body instanceof Blob)) return 'application/json';
	return body.type === '' ? 'application/octet-stream' : body.type;
}

async function request<T>(method: Method, path: string, body?: unknown): Promise<T> {
	let response: Response;
	try {
		response = await fetch(path, {
			method,
			headers: {
				...(method !== 'GET' && { 'x-csrf-token': csrfToken }),
				...(body !== undefined && { 'content-type': toContentType(body) }),
			},
			...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
		});
	} catch {
		throw new ApiError(0, 'The server cannot be reached. Check the connection and try again.');
	}
	const answer = (await response.json().catch(() => ({}))) as Refused;
	if (response.ok) return answer as T;
	if (response.status === 401 && csrfToken !== '') sessionIsOver();
	throw new ApiError(
		response.status,
		toWords(answer) ?? `The server answered ${response.status} without saying why.`,
	);
}

/** For calls that answer with the session; later calls send its token. */
async function enter(path: string, body?: unknown): Promise<ConsoleSession> {
	const session = await request<ConsoleSession>(
		body === undefined ? 'GET' : 'POST',
		BASE + path,
		body,
	);
	csrfToken = session.csrf_token;
	return session;
}

export const api = {
	get: <T>(path: string) => request<T>('GET', BASE + path),
	post: <T>(path: string, body?: unknown) => request<T>('POST', BASE + path, body),
	put: <T>(path: string, body: unknown) => request<T>('PUT', BASE + path, body),
	delete: <T>(path: string) => request<T>('DELETE', BASE + path),
	session: () => enter('/session'),
	login: (body: object) => enter('/login', body),
	join: (body: object) => enter('/join', body),
	reset: (body: object) => enter('/reset', body),
	logout: () => {
		const answer = request('POST', `${BASE}/logout`);
		// Calls still under way may now be refused; the session did not end by itself.
		csrfToken = '';
		return answer;
	},
	/** The published description of the public API. */
	openApi: <T>() => request<T>('GET', '/api/openapi.json'),
};

export function errorMessage(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
