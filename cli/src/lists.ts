import { isObject } from '../../src/rules/answer';
import type { Send, Tools } from './client';
import { warn } from './failure';
import { commandWith } from './options';

/** What a key may list, and the fields that are printed. */
const LISTS = {
	channels: ['list the channels that --channel takes', 'slug', 'name'],
	phones: ['list the phones of the key, which --channel takes as well', 'slug', 'name', 'user'],
	metrics: ['list the metrics of the account', 'key', 'name', 'unit'],
	questions: ['list the open questions of the key', 'question_id', 'title', 'deadline_at'],
};

export const listCommands = Object.entries(LISTS).map(
	([name, [description = '', ...fields]]) =>
		({ send, print }: Tools) =>
			commandWith(name, description).action(async () => {
				const entries = await listAll(send, name);
				if (entries.length === 0) warn(`There are no ${name}.`);
				print(toTable(entries, fields), { [name]: entries });
			}),
);

/** The entries of all pages of a list. */
export async function listAll(send: Send, name: string): Promise<Entry[]> {
	const entries: Entry[] = [];
	for (let after: unknown = ''; typeof after === 'string';) {
		const path = `/${name}${after && `?after=${encodeURIComponent(after)}`}`;
		const page = await send<Entry>({ method: 'GET', path, body: {} });
		if (Array.isArray(page[name])) entries.push(...page[name].filter(isObject));
		after = page['next'];
	}
	return entries;
}

type Entry = Record<string, unknown>;

/** A line for each entry: in columns for people, and with tabs between the fields for programs. */
function toTable(entries: readonly Entry[], fields: readonly string[]): string {
	const isWide = process.stdout.isTTY;
	const columns = fields.map((field) => {
		const texts = entries.map(({ [field]: value }) => (typeof value === 'string' ? value : ''));
		const width = isWide ? Math.max(...texts.map(({ length }) => length)) : 0;
		return texts.map((text) => text.padEnd(width));
	});
	const lines = entries.map((_entry, at) =>
		columns.map((texts) => texts[at]).join(isWide ? '  ' : '\t'),
	);
	return lines.join('\n');
}
