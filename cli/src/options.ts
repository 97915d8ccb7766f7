import { Command, InvalidArgumentError, Option } from 'commander';

import { isObject, type Refusal } from '../../src/rules/answer';
import { Failure, warn } from './failure';
import { LONGEST } from './longest';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads `90`, `90s`, `10m`, `2h` or `1d` as seconds. */
export function readDuration(text: string): number {
	const [, number, unit = 's'] = /^(\d+)([smhd]?)$/.exec(text) ?? [];
	if (number === undefined) throw new InvalidArgumentError('Write it like 90s, 10m, 2h or 1d.');
	return Number(number) * (SECONDS[unit || 's'] ?? 1);
}

export function readNumber(text: string): number {
	const number = Number(text);
	if (text.trim() !== '' && Number.isFinite(number)) return number;
	throw new InvalidArgumentError('It is not a number.');
}

/** Collects the values of an option that may be given several times. */
export const collected = (text: string, earlier: string[] = []) => [...earlier, text];

/** Collects values like `name=value`, of which it makes what the service takes. */
export function collectedPairs<T>(toItem: (name: string, value: string) => T) {
	return (text: string, earlier: T[] = []): T[] => {
		const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
		if (name && value) return [...earlier, toItem(name, value)];
		throw new InvalidArgumentError('Write it as name=value.');
	};
}

/** An option, and the path of the field that it fills in the body of a request. */
export interface FieldOption {
	added: Option;
	path: string;
}

/** Every option that fills a field, by the field's path. */
const FILLS = new Map<string, Option>();

/** @param read reads its text, given the value of an earlier option of the same name */
export function option<T>(
	flags: string,
	path: string,
	description: string,
	read?: (text: string, earlier?: T) => T,
): FieldOption {
	const added = new Option(flags, description);
	if (read) added.argParser(read);
	FILLS.set(path, added);
	return { added, path };
}

const CHANNEL = '-c, --channel <slug>';

export const RECIPIENTS = [
	option(CHANNEL, 'target.channels', 'send to this one; repeatable', collected),
	option('-t, --tag <tag>', 'tags', 'to find it in the history; repeatable', collected),
];

export const REFUSE_LONG = new Option('--refuse-long', 'refuse texts that would have to be cut');

/** A command, its arguments as in its usage, and the options that fill fields. */
export function commandWith(
	usage: string,
	description: string,
	table: readonly FieldOption[] = [],
): Command {
	const [name = '', ...args] = usage.split(' ');
	const command = new Command(name).description(description);
	if (args.length > 0) command.arguments(args.join(' '));
	for (const { added } of table) command.addOption(added);
	return command;
}

export type Values = Readonly<Record<string, unknown>>;

/** The values of options by the paths of their fields. */
export function toValues(table: readonly FieldOption[], options: Values): Record<string, unknown> {
	return Object.fromEntries(table.map(({ added, path }) => [path, options[added.attributeName()]]));
}

/**
 * A body from values by their paths, such as `deadline.choice`, without those that are undefined: the service refuses
 * null. Texts longer than it takes are cut, and that is told.
 * @throws Failure for such a text if the options have `refuseLong`
 */
export function toBody(values: Values, { refuseLong }: Values = {}): Record<string, unknown> {
	const body: Record<string, unknown> = {};
	for (const [path, value] of Object.entries(values)) {
		const parents = path.split('.');
		const name = parents.pop() ?? path;
		if (value === undefined) continue;
		let inner = body;
		for (const parent of parents) inner = (inner[parent] ??= {}) as Record<string, unknown>;
		inner[name] = typeof value === 'string' ? fitted(path, value, refuseLong === true) : value;
	}
	return body;
}

/** The service counts characters in code points. */
function fitted(path: string, text: string, isRefused: boolean): string {
	const characters = Array.from(text);
	const longest = LONGEST[path] ?? Infinity;
	if (characters.length <= longest) return text;
	const rule = `${nameOf(path)} is longer than ${longest} characters`;
	if (isRefused) throw new Failure(`${rule}.`);
	warn(`${rule} and was cut. --refuse-long sends nothing instead.`);
	return `${characters.slice(0, longest - 1).join('')}…`;
}

/** The option that fills a field, one around it or one in it; none for arguments, which have the name of their field. */
function optionFor(path: string): Option | undefined {
	const field = `${path.replaceAll(/\[\d+\]/g, '')}.`;
	const around = [...FILLS].find(([known]) => field.startsWith(`${known}.`));
	return (around ?? [...FILLS].find(([known]) => known.startsWith(field)))?.[1];
}

const nameOf = (path: string) => optionFor(path)?.long ?? path;

/** A refusal's words, with options in place of the fields. */
export function inOptions({ error, message, issues }: Refusal): string {
	if (!Array.isArray(issues)) return message ?? error;
	const sentences = issues.filter(isObject).map(({ path, message: rule }) => {
		const { description } = optionFor(String(path)) ?? {};
		const help = rule === 'is required' && description ? `: ${description}` : '';
		const [, unit = ''] = /_(seconds|minutes)$/.exec(String(path)) ?? [];
		const words = String(rule).replace(/whole number.*/, (range) => `${range} ${unit}`.trim());
		return `${nameOf(String(path))} ${words}${help}.`;
	});
	return sentences.join(' ');
}
