import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Column, Table } from '../src/store/tables/columns.ts';
import { TABLES } from '../src/store/schema.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
type Engine = (typeof ENGINES)[number];

/** The file that creates the tables of `src/store/tables/`. */
export function schemaFile(engine: Engine): string {
	return join(import.meta.dirname, `../src/store/migrations/0001-first.${engine}.sql`);
}

function toSql(name: string, { type, rules }: Column<unknown>, engine: Engine): string {
	return `${name} ${typeof type === 'string' ? type : type[engine]}${rules}`;
}

/** What the file must hold. */
export function schemaSql(engine: Engine): string {
	const statements = Object.entries<Table>(TABLES).flatMap(([name, { columns, rules }]) => {
		const lines = [
			...Object.entries(columns).map(([column, definition]) => toSql(column, definition, engine)),
			...rules.filter((rule) => rule.startsWith('constraint ')),
		];
		const indexes = rules.filter((rule) => rule.startsWith('index '));
		return [
			`create table ${name} (\n\t${lines.join(',\n\t')}\n)`,
			...indexes.map((index) => `create ${index}`),
		];
	});
	return `-- Written by \`npm run sql -w server\` from src/store/tables/.\n${statements.join(';\n\n')};\n`;
}

if (import.meta.main)
	for (const engine of ENGINES) writeFileSync(schemaFile(engine), schemaSql(engine));
