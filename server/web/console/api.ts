import { type CallResponse, type Sent, toRequest } from '../../src/contract/calls.ts';
import type { ConsoleCalls } from '../../src/contract/console/calls.ts';
import type { ConsoleSession } from '../../src/contract/console/members.ts';
import { type RequestIssue, toSentences } from '../../src/contract/issues.ts';

/** The server refused, or could not be reached; `message` is for people. */
export class ApiError extends Error {
	readonly status: number;
	/** The broken rules of the request; empty: something else is wrong. */
	readonly issues: readonly RequestIssue[];

	constructor(status: number, message: string, issues: readonly RequestIssue[] = []) {
		super(message);
		this.status = status;
		this.issues = issues;
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
	if (field === 'email') return 'Email address';
	return field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');
}

export type CallName = keyof ConsoleCalls;
export type Input<Name extends CallName> = Sent<ConsoleCalls[Name]>;
export type ResponseOf<Name extends CallName> = CallResponse<ConsoleCalls[Name]>;

const BASE = '/console/api';

let csrfToken = '';

/** Called when the session is over: it expired, or the member was removed. */
let sessionIsOver: () => void = () => undefined;

export function onSessionOver(notify: () => void): void {
	sessionIsOver = notify;
}

/** A file is sent as it is, everything else as JSON. */
function toContentType(body: unknown): string {
	if (!(body instanceof Blob)) return 'application/json';
	return body.type === '' ? 'application/octet-stream' : body.type;
}

export async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
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
		throw new ApiError(0, 'Could not reach the server. Check your connection and try again.');
	}
	const received = (await response.json().catch(() => ({}))) as Refused;
	if (response.ok) return received as T;
	if (response.status === 401 && csrfToken !== '') sessionIsOver();
	throw new ApiError(
		response.status,
		toWords(received) ?? `The server answered ${response.status} without a reason.`,
		received.issues,
	);
}

/** The address of a call. */
export function addressOf(name: CallName, ...sent: readonly unknown[]): string {
	return BASE + toRequest(name, sent).path;
}

/** Makes a call. @throws ApiError */
export async function call<Name extends CallName>(
	name: Name,
	...sent: Input<Name>
): Promise<ResponseOf<Name>> {
	const { method, path, body } = toRequest(name, sent);
	const response = await request<ResponseOf<Name>>(method, BASE + path, body);
	// Later calls send the token of the session, which is the response to some.
	csrfToken = (response as Partial<ConsoleSession> | null)?.csrf_token ?? csrfToken;
	return response;
}

export function signOut(): Promise<unknown> {
	const response = call('POST /logout');
	// Calls in progress may now be rejected; the session did not expire.
	csrfToken = '';
	return response;
}

export function errorMessage(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
