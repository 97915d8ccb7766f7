import { type Caddy, startCaddy } from '../../test/faults/support/caddy.ts';

interface Variant {
	/** The embedded store if false. */
	isOnPostgres?: boolean;
	/** Starts what is in front of the server. */
	front?: (url: string) => Promise<Caddy>;
}

/** How a server is reached, and what it may use. */
export const VARIANTS: Record<string, Variant> = {
	direct: {},
	postgres: { isOnPostgres: true },
	caddy: { front: startCaddy },
};
