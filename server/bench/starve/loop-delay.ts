import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the server's process by `--import`: writes the longest time since the last signal for which the
 * event loop was held, in milliseconds, to its log.
 */
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
	process.stderr.write(`event loop held: ${(delay.max / 1e6).toFixed(1)}\n`);
	delay.reset();
});
