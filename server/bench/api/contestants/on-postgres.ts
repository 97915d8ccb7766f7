import { startCluster } from '../../../test/support/postgres-cluster.ts';
import type { Contestant } from './contestant.ts';

/** On a separate PostgreSQL with its default settings: every commit is on disk. */
export async function startOnPostgres(
	start: (url: string) => Promise<Contestant>,
): Promise<Contestant> {
	const cluster = await startCluster([]);
	await cluster.createDatabase('bench');
	const contestant = await start(cluster.urlOf('bench'));
	return {
		...contestant,
		async close() {
			await contestant.close();
			await cluster.remove();
		},
	};
}
