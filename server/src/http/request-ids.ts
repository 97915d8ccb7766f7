import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';

/** What an id may look like that comes from outside: it stands in the log and in answers. */
const WELL_FORMED = /^[\w.-]{1,64}$/;

/** Whether the address is one of a proxy that the settings trust. */
export type TrustsAddress = (address: string, hop: number) => boolean;

/**
 * Names requests: by the `X-Request-Id` that a trusted proxy gave one, so that its log and ours can be
 * read together, otherwise by a new UUID. A client's own word is not taken: ids must not be made to clash.
 */
export function requestIds(isTrusted: TrustsAddress | undefined) {
	return ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
		const given = isTrusted && headers[REQUEST_ID_HEADER];
		return typeof given === 'string' &&
			WELL_FORMED.test(given) &&
			isTrusted?.(socket.remoteAddress ?? '', 0)
			? given
			: randomUUID();
	};
}
