import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Help, type Option } from 'commander';
import { COMMON } from '../src/cli/commands.ts';
import { toProgram } from '../src/cli/program.ts';
import { SETTINGS } from '../src/settings.ts';

/** The documentation page; its tables of settings and commands are generated here. */
export const DOCS = join(import.meta.dirname, '../../docs/operations.md');

/** Writes an option's choices and default as `--help` does. */
const HELP = new Help();

const COMMON_FLAGS: ReadonlySet<string> = new Set(Object.values(COMMON).map(({ flags }) => flags));

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** The comment of each setting in src/settings.ts. */
function readMeanings(): Map<string, string> {
	const source = readFileSync(join(import.meta.dirname, '../src/settings.ts'), 'utf8');
	const commented = source.matchAll(/^\t\/\*\*\s((?:(?!\*\/)[^])*)\s\*\/\n\t(BECKON_\w+):/gm);
	const plain = (comment = '') => comment.replaceAll(/(^|\s)\s*\*\s/g, ' ').trim();
	return new Map([...commented].map(([, comment, name = '']) => [name, plain(comment)]));
}

/** One row for each setting of src/settings.ts. */
function settingsTable(): string[] {
	const meanings = readMeanings();
	const rows = Object.entries(SETTINGS).map(([name, { fallback }]) => {
		const meaning = meanings.get(name);
		if (meaning === undefined) throw new Error(`${name} has no comment in src/settings.ts`);
		return `| \`${name}\` | ${fallback === '' ? 'empty' : `\`${cell(fallback)}\``} | ${cell(meaning)} |`;
	});
	return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows];
}

const mustBeGiven = ({ mandatory, defaultValue }: Option) =>
	mandatory && defaultValue === undefined;

/** A row for a command, or the rows of those below it. */
function rowsOf(command: Command, path: string): string[] {
	const name = `${path} ${command.name()}`;
	if (command.commands.length > 0) return command.commands.flatMap((below) => rowsOf(below, name));
	const own = command.options.filter(({ flags }) => !COMMON_FLAGS.has(flags));
	const given = [
		...command.registeredArguments.map((argument) => `<${argument.name()}>`),
		...own.filter(mustBeGiven).map(({ flags }) => flags),
	];
	const others = own
		.filter((option) => !mustBeGiven(option))
		.map((option) => `\`${option.flags}\`: ${HELP.optionDescription(option)}.`);
	const about = [sentence(command.description()), ...others].join(' ');
	return [`| \`${[name, ...given].join(' ')}\` | ${cell(about)} |`];
}

/** One row for each command, with its description from `--help`. */
function commandsTable(): string[] {
	const program = toProgram();
	const rows = program.commands.flatMap((command) => rowsOf(command, program.name()));
	return ['| Command | What it does |', '| --- | --- |', ...rows];
}

const TABLES = { settings: settingsTable, commands: commandsTable };

/** @returns the page with the current tables between their markers */
export function withTables(page: string): string {
	return Object.entries(TABLES).reduce((text, [name, table]) => {
		const begin = `<!-- ${name}: written by server/scripts/write-operations-docs.ts -->`;
		const end = `<!-- end of ${name} -->`;
		const [before, rest] = text.split(begin);
		const after = rest?.split(end)[1];
		if (before === undefined || after === undefined)
			throw new Error(`docs/operations.md lacks the lines ${begin} and ${end}`);
		return `${before}${begin}\n\n${table().join('\n')}\n\n${end}${after}`;
	}, page);
}

if (import.meta.main) writeFileSync(DOCS, withTables(readFileSync(DOCS, 'utf8')));
