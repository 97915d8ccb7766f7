/**
 * What a process tells the others that share its database: to look again at something. It carries
 * no content, and nothing is lost when nobody listens.
 * - `account`: anything of the account: its keys, devices, history, what runs.
 * - `inbox`: the inbox of one device. `dismissals`: what its person has dismissed. `metrics`: the account's metrics, as its phones show them.
 * - `lane`: a delivery that others may have waited for is over.
 * - `outbox`: deliveries are due that this process leaves to others.
 */
export type Topic =
	| `account ${string}`
	| `inbox ${string}`
	| `dismissals ${string}`
	| `metrics ${string}`
	| 'lane'
	| 'outbox';

/** What another process has changed; `everything`: it is not known what. */
export type ForeignChange = ReadonlySet<Topic> | 'everything';
