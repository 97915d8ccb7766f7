import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { MINUTE_MS } from './durations.ts';

/**
 * Secrets that no log line may contain, not even inside a library's error: our keys and tokens, the value after
 * `Bearer` or `token=`, and all of a URL except its host, because webhooks, push subscriptions and setup links
 * are secret as a whole, and a database's URL contains a password.
 */
const SECRETS: ReadonlyArray<[RegExp, string]> = [
	[/\b(?!file:)([a-z][a-z\d+.-]*:\/\/)(?:[^\s/@"']*@)?([^\s/?#"'<>]*)[^\s"'<>)]*/gi, '$1$2/…'],
	[/\b(b[kds]_)[\w-]+/g, '$1…'],
	[/\b(Bearer|Basic) +[\w.~+/=-]+/gi, '$1 …'],
	[/\b(token|auth|setup|invite|code|password)=[^\s"'&;,]+/gi, '$1=…'],
	[/\b(authorization|cookie)(["']?: *["']?)[^\s"',]+/gi, '$1$2…'],
];

/** Depth to which the causes of an error are followed. */
const DEEPEST_CAUSE = 3;

/** The text with all secrets redacted. */
export function withoutSecrets(text: string): string {
	return SECRETS.reduce((clean, [pattern, sign]) => clean.replace(pattern, sign), text);
}

interface LoggedError {
	type: string;
	message: string;
	code?: string;
	statement?: string;
	stack?: string;
	cause?: LoggedError;
	errors?: LoggedError[];
}

/**
 * An error as logged: only the fields named here. A library's error may carry a whole request with its headers,
 * a query with its values, or an address it could not parse.
 */
export function describeError(error: unknown, depth = 0): LoggedError {
	if (typeof error !== 'object' || error === null)
		return { type: typeof error, message: withoutSecrets(String(error)) };
	const { name, message, code, statement, stack, cause, errors } = error as Partial<Error> & {
		code?: string | number;
		statement?: string;
		errors?: unknown;
	};
	const isDeepest = depth >= DEEPEST_CAUSE;
	return {
		type: name ?? 'Error',
		message: withoutSecrets(message ?? ''),
		...(code !== undefined && { code: String(code) }),
		...(statement !== undefined && { statement: withoutSecrets(statement) }),
		...(typeof stack === 'string' && { stack: withoutSecrets(stack) }),
		...(cause !== undefined && !isDeepest && { cause: describeError(cause, depth + 1) }),
		...(Array.isArray(errors) &&
			!isDeepest && { errors: errors.map((inner) => describeError(inner, depth + 1)) }),
	};
}

interface Logged {
	method?: string;
	statusCode?: number;
	routeOptions?: { url?: string };
}

/**
 * The server's log: JSON lines on standard error. Requests and responses appear by route and status, never with
 * headers, query or body.
 */
export function createLogger(
	{ BECKON_LOG_LEVEL: level }: Pick<Config, 'BECKON_LOG_LEVEL'>,
	destination: DestinationStream = pino.destination(2),
): Logger {
	return pino(
		{
			level,
			serializers: {
				err: describeError,
				reason: (why: unknown) => (typeof why === 'string' ? withoutSecrets(why) : why),
				req: ({ method, routeOptions }: Logged) => ({ method, route: routeOptions?.url }),
				res: ({ statusCode }: Logged) => ({ status: statusCode }),
			},
		},
		destination,
	);
}

/** Reports how many times something has happened since the last report, at most once every `everyMs`. */
export function throttled(
	report: (times: number) => void,
	everyMs = MINUTE_MS,
	elapsed = () => performance.now(),
): () => void {
	let times = 0;
	let reportedAt = -Infinity;
	return () => {
		times += 1;
		if (elapsed() - reportedAt < everyMs) return;
		report(times);
		reportedAt = elapsed();
		times = 0;
	};
}
