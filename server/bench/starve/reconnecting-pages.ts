import { closePages, openPages } from './open-pages.ts';

/** Pages that connect at the same time after all were cut. */
const AT_ONCE = 1_000;

/** Pages in a process of their own. Says when all are open; on any message, all reconnect. */
const [url = ''] = process.argv.slice(2);
await openPages(url);
process.send?.('open');
process.on('message', () => {
	closePages();
	void openPages(url, AT_ONCE).then(() => process.send?.('open'));
});
process.once('disconnect', () => process.exit());
