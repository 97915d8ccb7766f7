import { channel } from 'node:diagnostics_channel';

/** Publishes the milliseconds that each query or transaction has waited for a connection to PostgreSQL. */
export const CONNECTION_WAITS = channel('beckon.store.connection-wait');

/** Publishes the milliseconds for which each transaction was open, its commit included. */
export const TRANSACTIONS = channel('beckon.store.transaction');

/** Publishes whether this process hears what the others announce on PostgreSQL, whenever that changes. */
export const LISTENING = channel('beckon.store.listening');
