import { cpus } from 'node:os';

/** The machine and the time of a measurement, for the results of a benchmark. */
export function circumstances(): string {
	const [first] = cpus();
	const machine = `${cpus().length} cores (${first?.model.trim() ?? 'unknown'})`;
	return `${machine}, Node ${process.version.slice(1)}, ${new Date().toISOString().slice(0, 10)}`;
}
