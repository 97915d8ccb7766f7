import type { LightMyRequestResponse } from 'fastify';
import type { Answer, Method, TestServer } from '../../support/server.ts';

export const PASSWORD = 'correct horse battery staple';

export interface Console {
	cookie: string;
	csrf: string;
	memberId: string;
	/** A call from the console's own page; `options` omits or replaces parts of the request. */
	call(
		method: Method,
		path: string,
		body?: unknown,
		options?: Partial<CallHeaders>,
	): Promise<Answer>;
}

export interface CallHeaders {
	cookie: string | null;
	csrf: string | null;
}

/** A call as a browser would make it; null omits the header. */
export async function callConsole(
	server: TestServer,
	method: Method,
	path: string,
	body?: unknown,
	{
		cookie = null,
		csrf = null,
		...headers
	}: Partial<CallHeaders> & Record<string, string | null> = {},
): Promise<Answer & { raw: LightMyRequestResponse }> {
	const response = await server.app.inject({
		method,
		url: `/console/api${path}`,
		headers: {
			...(cookie !== null && { cookie }),
			...(csrf !== null && { 'x-csrf-token': csrf }),
			...(body !== undefined && { 'content-type': 'application/json' }),
			...(headers as Record<string, string>),
		},
		...(body !== undefined && { payload: JSON.stringify(body) }),
	});
	const isJson = String(response.headers['content-type']).startsWith('application/json');
	return {
		status: response.statusCode,
		body: isJson ? response.json() : (response.body as unknown as Answer['body']),
		headers: response.headers,
		raw: response,
	};
}

/** The session cookie set by the answer, as `name=value`. */
export function cookieOf(response: LightMyRequestResponse): string {
	const [cookie] = response.cookies;
	if (!cookie) throw new Error('The answer sets no cookie');
	return `${cookie.name}=${cookie.value}`;
}

/** Joins as the account's owner, or as a member invited by one; returns the browser's credentials. */
export async function signedIn(
	server: TestServer,
	{
		account = server.account.id,
		invitedBy,
		email = `${Math.random()}@example.com`,
		name = invitedBy ? 'Max' : 'Olga',
	}: { account?: string; invitedBy?: Console; email?: string; name?: string } = {},
): Promise<Console> {
	const invitation = await invitedBy?.call('POST', '/invitations', { role: 'member' });
	const token = invitation ? invitation.body['token'] : await server.setupToken(account);
	const answer = await callConsole(server, 'POST', '/join', {
		token,
		name,
		email,
		password: PASSWORD,
	});
	if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
	const cookie = cookieOf(answer.raw);
	const csrf = answer.body['csrf_token'] as string;
	return {
		cookie,
		csrf,
		memberId: answer.body['member'].id,
		call: (method, path, body, options) =>
			callConsole(server, method, path, body, { cookie, csrf, ...options }),
	};
}
