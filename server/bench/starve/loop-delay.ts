import { subscribe } from 'node:diagnostics_channel';

/**
 * Loaded into the server's process by `--import`. On a signal it writes to the log the longest time since the last
 * one for which the event loop was held, the most that the process has computed meanwhile, and the longest time for
 * which a transaction that writes was open, in milliseconds: on a busy machine the first and the last include the time
 * given to other programs.
 */
const TICK_MS = 1;

const computed = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1_000;
};

let [held, busy, open] = [0, 0, 0];
// By its name: a built server has its own copy of store/measured.ts.
subscribe('beckon.store.transaction', (ms) => (open = Math.max(open, Number(ms))));
let [tickedAt, computedThen] = [performance.now(), computed()];
setInterval(() => {
	const [now, computedNow] = [performance.now(), computed()];
	held = Math.max(held, now - tickedAt - TICK_MS);
	busy = Math.max(busy, computedNow - computedThen);
	[tickedAt, computedThen] = [now, computedNow];
}, TICK_MS).unref();
process.on('SIGUSR2', () => {
	process.stderr.write(
		`event loop held: ${[held, busy, open].map((ms) => ms.toFixed(1)).join(' ')}\n`,
	);
	[held, busy, open] = [0, 0, 0];
});
