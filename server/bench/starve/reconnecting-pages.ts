import { openPages, reconnectPages } from './open-pages.ts';

/** Pages in a process of their own. Says when all are open; on any message, all reconnect. */
const [url = ''] = process.argv.slice(2);
await openPages(url);
process.send?.('open');
process.on('message', () => {
	void reconnectPages(url).then(() => process.send?.('open'));
});
process.once('disconnect', () => process.exit());
