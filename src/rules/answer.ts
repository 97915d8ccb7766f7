/** An answer of the service, whatever its status. */
export interface Answer {
	status: number;
	headers: Headers;
	body: unknown;
}

/** Response headers by lower-case name, as n8n passes them on. */
export type Headers = Readonly<Record<string, unknown>>;

/** The header's text; several values of one name form one list, as in HTTP. */
export function readHeader(headers: Headers, name: string): string | undefined {
	const value = headers[name];
	if (Array.isArray(value)) return value.join(', ');
	return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A refusal in the service's form, `{error, message?}`; any other form has another origin. */
export interface Refusal extends Record<string, unknown> {
	error: string;
	message?: string;
}

export function refusalIn({ body }: Answer): Refusal | undefined {
	if (!isObject(body) || typeof body['error'] !== 'string') return undefined;
	const isTextOrMissing = ['string', 'undefined'].includes(typeof body['message']);
	return isTextOrMissing ? (body as Refusal) : undefined;
}

export function isSuccess({ status, body }: Answer): boolean {
	return status >= 200 && status < 300 && isObject(body) && body['success'] === true;
}

/** LiveActivityLimitError: the phone is full. Waiting does not help, so this 429 is not retried. */
export function isCapacityRefusal(answer: Answer): boolean {
	const refusal = refusalIn(answer);
	return (
		answer.status === 429 &&
		typeof refusal?.['limit'] === 'number' &&
		typeof refusal['active'] === 'number'
	);
}

/** RateLimitError, or a 429 from a proxy in between: waiting helps. */
export function isRateRefusal(answer: Answer): boolean {
	return answer.status === 429 && !isCapacityRefusal(answer);
}
