import { median } from '../../../../bench/node/statistics.ts';
import { WITHOUT_MEMORY_SETTINGS } from '../contestants/beckon.ts';
import type { Contestant } from '../contestants/contestant.ts';
import { startMinimal } from '../contestants/minimal/start.ts';
import { startOnPostgres } from '../contestants/on-postgres.ts';
import { PHASES } from '../load/traffic.ts';
import { table, verdict, whole } from '../report.ts';
import { accountKeys } from '../seed.ts';
import { byTurns, rateOf } from './by-turns.ts';
import { startStore } from './endpoints.ts';
import type { Part } from './part.ts';

const SCHEMAS = {
	'two tables': 'two',
	"Beckon's tables": 'own',
	'the same without secondary indexes': 'own, without secondary indexes',
} as const;

/** The least share of a push's rate with Beckon's tables that the whole server reaches. */
const BECKON = {
	"Beckon, with the Dockerfile's memory settings": { aim: 0.7, settings: {} },
	'Beckon, with default memory settings': { aim: 0.8, settings: WITHOUT_MEMORY_SETTINGS },
};

const STORES = ['SQLite', 'PostgreSQL'] as const;

/** The cost of a push from its tables alone, which remains however fast the rest of the server is. */
export const tables: Part = async (settings, say) => {
	const contestants: Contestant[] = [];
	try {
		const keys = accountKeys();
		for (const store of STORES) {
			for (const [name, schema] of Object.entries(SCHEMAS)) {
				const start = (url?: string) => startMinimal(`${name} on ${store}`, keys, url, schema);
				contestants.push(await (store === 'SQLite' ? start() : startOnPostgres(start)));
			}
			for (const [name, { settings: env }] of Object.entries(BECKON)) {
				const start = (url?: string) =>
					startStore(`${name} on ${store}`, keys, { url, settings: env });
				contestants.push(await (store === 'SQLite' ? start() : startOnPostgres(start)));
			}
		}
		const measured = (await byTurns(contestants, ['push'], settings, say)).get('push');
		const perSecond = (name: string, store: string) =>
			median((measured?.get(`${name} on ${store}`) ?? []).map(rateOf));
		const verdicts = STORES.flatMap((store) =>
			Object.entries(BECKON).map(([name, { aim }]) => {
				const share = perSecond(name, store) / perSecond("Beckon's tables", store);
				return `- ${name}, on ${store}: ${share.toFixed(2)} of minimal with Beckon's tables (aim ≥ ${aim}: ${verdict(share >= aim)}).`;
			}),
		);
		return [
			'## Tables',
			`${PHASES.push} by minimal, the smallest server with the same durability guarantee, with its own tables and statements, and with Beckon's tables, statements and decisions: history, usage, quota, audience and outcomes. The last has no secondary index on history, messages and deliveries, so it could find little: it shows the most that fewer indexes can gain.`,
			table(
				['Tables', ...STORES.flatMap((store) => [`${store}, requests/s`, '÷ two tables'])],
				[...Object.keys(SCHEMAS), ...Object.keys(BECKON)].map((name) => [
					name,
					...STORES.flatMap((store) => [
						whole(perSecond(name, store)),
						(perSecond(name, store) / perSecond('two tables', store)).toFixed(2),
					]),
				]),
			),
			verdicts.join('\n'),
		].join('\n\n');
	} finally {
		for (const contestant of contestants) await contestant.close();
	}
};
