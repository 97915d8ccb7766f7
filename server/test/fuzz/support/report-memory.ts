import { writeFileSync } from 'node:fs';

/**
 * Loaded into the server's process before the program, with --expose-gc: on SIGUSR2 it collects garbage
 * and writes the bytes of heap left to the file MEMORY_REPORT.
 */
const file = process.env['MEMORY_REPORT'];
process.on('SIGUSR2', () => {
	globalThis.gc?.();
	globalThis.gc?.();
	if (file !== undefined) writeFileSync(file, `${process.memoryUsage().heapUsed}\n`);
});
