import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../test/support/postgres-cluster.ts';
import { ms, verdict } from '../api/report.ts';
import { AIMS_MS } from './figures.ts';

/** PostgreSQL writes what takes too long into a file: a statement that reads is a transaction of its own. */
export const LOGS_SLOW = [
	`log_min_duration_statement=${AIMS_MS.open}`,
	'logging_collector=on',
	'log_filename=slow.log',
];

/** Occurs only in the benchmark's own statements, which look for outcomes. */
const OWN = "'dev_2_~'";

/** @returns a function that reports the slow statements since */
export function watchStatements(cluster: Cluster | undefined): () => string[] {
	if (!cluster) return () => [];
	const read = () => readFileSync(join(cluster.socketFolder, 'data/log/slow.log'), 'utf8');
	const before = read().length;
	return () => {
		const entries = read()
			.slice(before)
			.split(/^(?=\d{4}-)/m);
		const times = entries.flatMap((entry) => {
			const [, time] = /duration: ([\d.]+) ms/.exec(entry) ?? [];
			if (time === undefined || entry.includes(OWN)) return [];
			process.stderr.write(entry);
			return [Number(time)];
		});
		const longest = times.length === 0 ? '' : `, the longest ${ms(Math.max(...times))}`;
		return [
			`${times.length} statements of PostgreSQL took longer than ${AIMS_MS.open} ms${longest}: ${verdict(times.length === 0)}`,
		];
	};
}
