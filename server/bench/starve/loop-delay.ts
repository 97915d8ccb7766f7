/**
 * Loaded into the server's process by `--import`. On a signal it writes to the log the longest time since the last
 * one for which the event loop was held, and the most that the process has computed meanwhile, in milliseconds: on
 * a busy machine the first includes the time given to other programs.
 */
const TICK_MS = 1;

const computed = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1_000;
};

let [held, busy] = [0, 0];
let [tickedAt, computedThen] = [performance.now(), computed()];
setInterval(() => {
	const [now, computedNow] = [performance.now(), computed()];
	held = Math.max(held, now - tickedAt - TICK_MS);
	busy = Math.max(busy, computedNow - computedThen);
	[tickedAt, computedThen] = [now, computedNow];
}, TICK_MS).unref();
process.on('SIGUSR2', () => {
	process.stderr.write(`event loop held: ${held.toFixed(1)} ${busy.toFixed(1)}\n`);
	[held, busy] = [0, 0];
});
