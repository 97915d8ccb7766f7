import { isObject } from '../../src/rules/answer';
import { send } from './client';
import { warn } from './failure';
import { command, type Values } from './options';
import { print } from './settings';

/** The lists of the API that a key may read, and the fields to print. */
const LISTS = {
	channels: ['list the channels that --channel takes', 'slug', 'name'],
	phones: ['list the phones of the key, which --channel takes as well', 'slug', 'name', 'user'],
	metrics: ['list the metrics of the account', 'key', 'name', 'unit'],
	questions: ['list the open questions of the key', 'question_id', 'title', 'deadline_at'],
};

export const listCommands = Object.entries(LISTS).map(([name, [description = '', ...fields]]) =>
	command(name, description).action(async () => {
		const entries = await listAll(name);
		if (entries.length === 0) warn(`There are no ${name}.`);
		print(toTable(entries, fields), { [name]: entries });
	}),
);

/** The entries of all pages of a list. */
export async function listAll(name: string): Promise<Values[]> {
	const entries: Values[] = [];
	for (let after: unknown = ''; typeof after === 'string';) {
		const path = `/${name}${after && `?after=${encodeURIComponent(after)}`}`;
		const page = await send<Values>({ method: 'GET', path, body: {} });
		if (Array.isArray(page[name])) entries.push(...page[name].filter(isObject));
		after = page['next'];
	}
	return entries;
}

/** A line for each entry: aligned columns in a terminal, and fields separated by tabs for programs. */
function toTable(entries: readonly Values[], fields: readonly string[]): string {
	const isWide = process.stdout.isTTY;
	const rows = entries.map((entry) => {
		return fields.map((field) => (typeof entry[field] === 'string' ? entry[field] : ''));
	});
	const widthOf = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0));
	const widths = fields.map((_field, at) => (isWide ? widthOf(at) : 0));
	const toLine = (row: string[]) => row.map((text, at) => text.padEnd(widths[at] ?? 0));
	return rows.map((row) => toLine(row).join(isWide ? '  ' : '\t')).join('\n');
}
