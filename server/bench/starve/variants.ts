import { type Caddy, startCaddy } from '../../test/faults/support/caddy.ts';

interface Variant {
	/** The limit on the server's open files. */
	openFiles?: number;
	/** Starts what is in front of the server. */
	front?: (url: string) => Promise<Caddy>;
}

/** How a server is reached, and what it may use. */
export const VARIANTS: Record<string, Variant> = {
	direct: {},
	nofile: { openFiles: 1_024 },
	caddy: { front: startCaddy },
};
