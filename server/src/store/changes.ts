/**
 * Tells the other processes sharing the database what to reload. It carries no content, and nothing is
 * lost if no process is listening.
 * - `account`: anything of the account: keys, devices, history, running activities.
 * - `inbox`: the inbox of one device. `dismissals`: notifications dismissed on it. `metrics`: the
 *   account's metrics, as its phones show them.
 * - `lane`: a delivery that others may have waited for is finished.
 * - `question`: a question has ended. `trigger`: it has a tap, or another listener.
 * - `outbox`: deliveries that this process leaves to others are due.
 */
export type Topic =
	| `account ${string}`
	| `inbox ${string}`
	| `dismissals ${string}`
	| `metrics ${string}`
	| `question ${string}`
	| `trigger ${string}`
	| 'lane'
	| 'outbox';

/** Changes made by another process; `everything`: the changes are unknown. */
export type ForeignChange = ReadonlySet<Topic> | 'everything';
